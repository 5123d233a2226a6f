// dissensus-instrument: rewrites C++ sources so that the outcome of every `if` and loop condition
// is recorded (tools/instrument/README.md). What cannot be rewritten safely is counted and
// reported.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Rewrite/Core/Rewriter.h>
#include <clang/Tooling/CommonOptionsParser.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

namespace {

namespace fs = std::filesystem;

llvm::cl::OptionCategory category("dissensus-instrument");
llvm::cl::opt<std::string> root(
    "root", llvm::cl::desc("Rewrite files below this folder; default: the named files only"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> out("out", llvm::cl::desc("Folder for the rewritten files"),
                               llvm::cl::Required, llvm::cl::cat(category));

struct Totals {
  std::size_t sites = 0;
  std::size_t constant = 0;     ///< in constexpr functions or `if constexpr`
  std::size_t declaration = 0;  ///< the condition declares a variable
  std::size_t macro = 0;        ///< the condition comes out of a macro
};

/// A file's name below the root, or its own name if it lies elsewhere.
std::string name_below_root(const std::string& path) {
  const fs::path base = root.empty() ? fs::path(path).parent_path() : fs::path(root.getValue());
  const fs::path relative =
      fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(base));
  if (relative.empty() || *relative.begin() == "..") return fs::path(path).filename().string();
  return relative.string();
}

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(clang::ASTContext& context, clang::Rewriter& rewriter, Totals& totals,
          std::set<std::string>& done)
      : sources_(context.getSourceManager()),
        language_(context.getLangOpts()),
        rewriter_(rewriter),
        totals_(totals),
        done_(done) {}

  bool VisitIfStmt(clang::IfStmt* statement) {
    record("BRANCH", statement->getBeginLoc(), statement->getCond(),
           statement->getConditionVariable() != nullptr,
           statement->isConstexpr() || statement->isConsteval());
    return true;
  }
  bool VisitWhileStmt(clang::WhileStmt* statement) {
    record("WHILE", statement->getBeginLoc(), statement->getCond(),
           statement->getConditionVariable() != nullptr);
    return true;
  }
  bool VisitDoStmt(clang::DoStmt* statement) {
    record("WHILE", statement->getBeginLoc(), statement->getCond(), false);
    return true;
  }
  bool VisitForStmt(clang::ForStmt* statement) {
    if (statement->getCond() != nullptr)
      record("WHILE", statement->getBeginLoc(), statement->getCond(),
             statement->getConditionVariable() != nullptr);
    return true;
  }
  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    return traverse(function, [&] { return Base::TraverseFunctionDecl(function); });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* function) {
    return traverse(function, [&] { return Base::TraverseCXXMethodDecl(function); });
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl* function) {
    return traverse(function, [&] { return Base::TraverseCXXConstructorDecl(function); });
  }

 private:
  using Base = clang::RecursiveASTVisitor<Visitor>;

  template <class Walk>
  bool traverse(const clang::FunctionDecl* function, const Walk& walk) {
    const bool before = in_constexpr_;
    in_constexpr_ = in_constexpr_ || function->isConstexpr();
    const bool result = walk();
    in_constexpr_ = before;
    return result;
  }

  bool is_wanted(clang::SourceLocation location) const {
    const clang::FileID file = sources_.getFileID(location);
    if (file == sources_.getMainFileID()) return true;
    const clang::FileEntry* entry = sources_.getFileEntryForID(file);
    if (root.empty() || entry == nullptr) return false;
    const fs::path relative = fs::weakly_canonical(entry->getName().str())
                                  .lexically_relative(fs::weakly_canonical(root.getValue()));
    return !relative.empty() && *relative.begin() != "..";
  }

  void record(const std::string& type, clang::SourceLocation place, const clang::Expr* condition,
              bool declares, bool is_constant = false) {
    if (condition == nullptr || !is_wanted(sources_.getExpansionLoc(place))) return;
    const clang::PresumedLoc presumed = sources_.getPresumedLoc(place);
    const std::string site = type + " " + name_below_root(presumed.getFilename()) + ":" +
                             std::to_string(presumed.getLine()) + ":" +
                             std::to_string(presumed.getColumn());
    // A template's body and a header's are visited more than once.
    if (!done_.insert(site).second) return;
    if (in_constexpr_ || is_constant) {
      ++totals_.constant;
      return;
    }
    if (declares) {
      ++totals_.declaration;
      return;
    }
    const clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(condition->getSourceRange()), sources_, language_);
    if (place.isMacroID() || range.isInvalid()) {
      ++totals_.macro;
      return;
    }
    ++totals_.sites;
    rewriter_.InsertTextBefore(range.getBegin(), "DISSENSUS_BRANCH(\"" + site + "\", ");
    rewriter_.InsertTextAfter(range.getEnd(), ")");
  }

  clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  clang::Rewriter& rewriter_;
  Totals& totals_;
  std::set<std::string>& done_;
  bool in_constexpr_ = false;
};

struct State {
  Totals totals;
  std::set<std::string> done;
  bool failed = false;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::Rewriter& rewriter, State& state) : rewriter_(rewriter), state_(state) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    Visitor(context, rewriter_, state_.totals, state_.done)
        .TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  clang::Rewriter& rewriter_;
  State& state_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(State& state) : state_(state) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    rewriter_.setSourceMgr(compiler.getSourceManager(), compiler.getLangOpts());
    return std::make_unique<Consumer>(rewriter_, state_);
  }

  void EndSourceFileAction() override {
    const clang::SourceManager& sources = rewriter_.getSourceMgr();
    for (auto buffer = rewriter_.buffer_begin(); buffer != rewriter_.buffer_end(); ++buffer) {
      const clang::FileEntry* entry = sources.getFileEntryForID(buffer->first);
      if (entry == nullptr) continue;
      const fs::path target = fs::path(out.getValue()) / name_below_root(entry->getName().str());
      std::error_code error;
      fs::create_directories(target.parent_path(), error);
      llvm::raw_fd_ostream stream(target.string(), error);
      if (error) {
        llvm::errs() << target.string() << ": " << error.message() << "\n";
        state_.failed = true;
        continue;
      }
      stream << "#include \"branch_recorder.h\"\n#line 1\n";
      buffer->second.write(stream);
      llvm::outs() << "wrote " << target.string() << "\n";
    }
  }

 private:
  State& state_;
  clang::Rewriter rewriter_;
};

class Factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit Factory(State& state) : state_(state) {}
  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<Action>(state_);
  }

 private:
  State& state_;
};

}  // namespace

int main(int argc, const char** argv) {
  auto options = clang::tooling::CommonOptionsParser::create(argc, argv, category);
  if (!options) {
    llvm::errs() << llvm::toString(options.takeError());
    return 2;
  }
  clang::tooling::ClangTool tool(options->getCompilations(), options->getSourcePathList());
  State state;
  Factory factory(state);
  const int status = tool.run(&factory);
  llvm::outs() << state.totals.sites << " conditions recorded; left out: " << state.totals.constant
               << " constant, " << state.totals.declaration << " that declare a variable, "
               << state.totals.macro << " from macros\n";
  return status != 0 || state.failed ? 1 : 0;
}
