#include "hunt/plugin.h"

#include <filesystem>
#include <set>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "dissensus/digest.h"

#include "core/file.h"

namespace dissensus::hunt {

namespace {

using InterfaceFunction = int (*)();
using PluginFunction = void (*)(Registry&);

/// Every new name must be new. A search and a scheduler are both `--search NAME`.
void check_names(const std::string& path, const Registry& before, const Registry& after) {
  const auto check = [&path](std::string_view what, const auto& old_list, const auto& new_list,
                             const auto&... taken) {
    std::set<std::string_view> names;
    const auto add = [&names](const auto& list) {
      for (const auto& entry : list) names.insert(entry.name);
    };
    add(old_list);
    (add(taken), ...);
    for (std::size_t i = old_list.size(); i < new_list.size(); ++i) {
      if (names.insert(new_list[i].name).second) continue;
      throw InputError(fmt::format("{}: brings a {} '{}', but that name is taken", path, what,
                                   new_list[i].name));
    }
  };
  check("system", before.systems.entries(), after.systems.entries());
  check("search", before.searches, after.searches, before.schedulers);
  check("scheduler", before.schedulers, after.schedulers, after.searches);
  check("fitness function", before.fitness, after.fitness);
  check("fault strategy", before.fault_strategies, after.fault_strategies);
}

/// A plugin's system: its code may do anything, so its runs happen in worker processes.
class ForeignSystem final : public System {
 public:
  ForeignSystem(std::unique_ptr<System> system, bool forked)
      : system_(std::move(system)), is_forked_(forked) {}
  const SystemDescription& description() const override { return system_->description(); }
  std::size_t node_count() const override { return system_->node_count(); }
  std::unique_ptr<Node> make_node(NodeId id) const override { return system_->make_node(id); }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    return system_->make_cluster(seed);
  }
  std::shared_ptr<const Request> make_request(const Options& options) const override {
    return system_->make_request(options);
  }
  std::vector<NodeId> links_of(NodeId id) const override { return system_->links_of(id); }
  SystemTraits traits() const override {
    SystemTraits traits = system_->traits();
    // Nodes outside have processes of their own, and their network belongs to this one.
    traits.may_end_the_process = is_forked_ && !traits.outside;
    return traits;
  }

 private:
  std::unique_ptr<System> system_;
  bool is_forked_;
};

void run_in_workers(const SystemRegistry& before, SystemRegistry& systems) {
  const std::vector<SystemEntry> entries = systems.entries();
  for (std::size_t i = before.entries().size(); i < entries.size(); ++i) {
    SystemEntry entry = entries[i];
    entry.make = [make = entry.make](const Options& options) -> std::unique_ptr<System> {
      const bool forked = options.boolean("forked", true);
      return std::make_unique<ForeignSystem>(make(options), forked);
    };
    systems.replace(std::move(entry));
  }
}

}  // namespace

void load_plugin(const std::string& path, Registry& registry) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: no such plugin file", path));
  }
  // A name without a slash would be looked for in the system's folders.
  const std::string file = std::filesystem::absolute(path, error).string();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(fmt::format("{}: cannot be loaded as a plugin: {}", path, dlerror()));
  }
  const auto interface =
      reinterpret_cast<InterfaceFunction>(dlsym(library, "dissensus_plugin_interface"));
  const auto plugin = reinterpret_cast<PluginFunction>(dlsym(library, "dissensus_plugin"));
  if (interface == nullptr || plugin == nullptr) {
    throw InputError(fmt::format(
        "{}: a shared library but no plugin: it has no DISSENSUS_PLUGIN(registry) {{...}}", path));
  }
  if (const int version = interface(); version != kPluginInterface) {
    throw InputError(fmt::format("{}: a plugin for interface {}, this program has interface {}",
                                 path, version, kPluginInterface));
  }
  const Registry before = registry;
  plugin(registry);
  check_names(path, before, registry);
  run_in_workers(before.systems, registry.systems);
}

std::string plugin_identity(const std::string& path) {
  constexpr std::size_t kPluginBytesMax = 1u << 30;
  return fmt::format("{} {}", std::filesystem::path(path).filename().string(),
                     to_string(digest_of_text(read_file(path, kPluginBytesMax))));
}

}  // namespace dissensus::hunt
