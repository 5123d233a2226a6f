// Statistics for quick use: the tests of src/statistics on numbers typed in or read from files.
#include <array>
#include <charconv>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/verb.h"
#include "core/suggestion.h"
#include "statistics/bootstrap.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"
#include "statistics/number_file.h"
#include "statistics/rank_sum.h"
#include "statistics/shapiro_wilk.h"
#include "statistics/survival.h"
#include "statistics/survival_file.h"

namespace dissensus::cli {

namespace {

using statistics::Alternative;
using statistics::NumberFile;

struct StatsOptions {
  std::array<std::string, 4> counts;
  std::vector<double> p_values;
  std::array<std::string, 2> files;
  std::string column;
  std::string alternative = "two-sided";
  std::string method;
  std::string statistic = "mean";
  double confidence = 0.95;
  double level = 0.05;
  std::size_t resamples = statistics::BootstrapOptions{}.resamples;
  std::uint64_t seed = statistics::BootstrapOptions{}.seed;
  bool no_correction = false;
  statistics::SurvivalColumns columns;
  std::string scale = "log";
  double until = 0;
  OutputOptions output;
};

/// JSON knows neither NaN (null here: undefined) nor infinity (a word here).
struct Figure {
  double value = 0;

  OrderedJson to_json() const {
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
  }
  static OrderedJson schema() {
    return {{"anyOf",
             {schema_of<double>(), {{"type", "null"}}, {{"enum", {"Infinity", "-Infinity"}}}}}};
  }
};
using Figures = std::vector<Figure>;

Figures figures_of(const Interval& interval) {
  return {{interval.low}, {interval.high}};
}

std::string shown(double value) {
  if (std::isnan(value)) return "undefined";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  return fmt::format("{:.6g}", value);
}

std::string shown(const Interval& interval) {
  return fmt::format("{} to {}", shown(interval.low), shown(interval.high));
}

std::string percent(double share) {
  return fmt::format("{:.6g} %", 100 * share);
}

void print_line(std::string_view label, std::string_view text) {
  fmt::print("{:<12}  {}\n", label, text);
}

/// What every test prints: an object for programs or lines for people.
template <class Answer>
ExitCode finish(const StatsOptions& options, const Answer& answer,
                const std::function<void()>& print) {
  if (options.output.json || options.output.quiet) {
    print_answer(options.output, answer, "");
  } else {
    print();
  }
  return kAllHeld;
}

Alternative alternative_of(const StatsOptions& options) {
  if (options.alternative == "greater") return Alternative::greater;
  return options.alternative == "less" ? Alternative::less : Alternative::two_sided;
}

void check_share(std::string_view option, double value) {
  if (value > 0 && value < 1) return;
  throw InputError(fmt::format("{}: expected a number between 0 and 1, found {}", option, value));
}

std::vector<std::vector<double>> read_samples(const StatsOptions& options) {
  if (options.files[0] == "-" && options.files[1] == "-") {
    throw InputError("-: standard input can be read once only; name a file for the other sample");
  }
  std::vector<std::vector<double>> samples;
  for (const std::string& path : options.files) {
    if (!path.empty()) samples.push_back(NumberFile::read(path).numbers(options.column));
  }
  return samples;
}

// Fisher's exact test

std::uint64_t parse_count(const std::string& text) {
  constexpr std::uint64_t kCountMax = 100'000'000;
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || stop != end || count > kCountMax) {
    throw InputError(fmt::format("expected a count from 0 to {}, found '{}'", kCountMax, text));
  }
  return count;
}

struct PrintedByR {
  Figure odds_ratio;
  Figures interval;
};
DISSENSUS_DESCRIBE(PrintedByR, odds_ratio, interval)

struct FisherAnswer {
  std::string test = "fisher";
  std::vector<std::uint64_t> table;
  std::string alternative;
  Figure p_value, odds_ratio, sample_odds_ratio;
  double confidence = 0;
  Figures interval;
  PrintedByR as_printed_by_r;
};
DISSENSUS_DESCRIBE(FisherAnswer, test, table, alternative, p_value, odds_ratio, sample_odds_ratio,
                   confidence, interval, as_printed_by_r)
const AnswerRegistration kFisherAnswer = answers_with<FisherAnswer>("stats fisher");

ExitCode fisher(const StatsOptions& options) {
  check_share("--confidence", options.confidence);
  const statistics::Contingency table{
      parse_count(options.counts[0]), parse_count(options.counts[1]),
      parse_count(options.counts[2]), parse_count(options.counts[3])};
  const statistics::FisherResult result =
      statistics::fisher_exact(table, {alternative_of(options), options.confidence});
  FisherAnswer answer;
  answer.table = {table.first_yes, table.first_no, table.second_yes, table.second_no};
  answer.alternative = options.alternative;
  answer.p_value = {result.p_value};
  answer.odds_ratio = {result.conditional_odds_ratio};
  answer.sample_odds_ratio = {result.sample_odds_ratio};
  answer.confidence = options.confidence;
  answer.interval = figures_of(result.interval);
  answer.as_printed_by_r = {{result.r.odds_ratio}, figures_of(result.r.interval)};
  return finish(options, answer, [&] {
    fmt::print("Fisher's exact test, {}\n\n", options.alternative);
    fmt::print("{:<8}{:>12}{:>12}{:>12}\n", "", "yes", "no", "share");
    const auto row = [](std::string_view name, std::uint64_t yes, std::uint64_t no) {
      const double share = static_cast<double>(yes) / static_cast<double>(yes + no);
      fmt::print("{:<8}{:>12}{:>12}{:>12}\n", name, yes, no,
                 yes + no == 0 ? "-" : fmt::format("{:.1f} %", 100 * share));
    };
    row("first", table.first_yes, table.first_no);
    row("second", table.second_yes, table.second_no);
    fmt::print("\n");
    print_line("p-value", fmt::format("{:.4g}", result.p_value));
    print_line("odds ratio", fmt::format("{} (conditional maximum likelihood)",
                                         shown(result.conditional_odds_ratio)));
    print_line(
        "", fmt::format("{} ({} interval)", shown(result.interval), percent(options.confidence)));
    print_line("", fmt::format("{} (sample)", shown(result.sample_odds_ratio)));
  });
}

// Two samples

struct SampleAnswer {
  std::string file;
  std::size_t size = 0;
  Figure mean, median;
};
DISSENSUS_DESCRIBE(SampleAnswer, file, size, mean, median)
using SampleAnswers = std::vector<SampleAnswer>;

SampleAnswers describe_samples(const StatsOptions& options,
                               const std::vector<std::vector<double>>& samples) {
  SampleAnswers answers;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    answers.push_back({options.files[i],
                       samples[i].size(),
                       {statistics::mean(samples[i])},
                       {statistics::quantile(samples[i], 0.5)}});
  }
  return answers;
}

void print_samples(const SampleAnswers& samples) {
  fmt::print("\n{:>8}{:>14}{:>14}  sample\n", "size", "median", "mean");
  for (const SampleAnswer& sample : samples) {
    fmt::print("{:>8}{:>14.6g}{:>14.6g}  {}\n", sample.size, sample.median.value, sample.mean.value,
               sample.file);
  }
  fmt::print("\n");
}

void print_a12(double a12) {
  print_line("A12",
             fmt::format("{:.4f} ({}): the chance that a value of the first sample is larger", a12,
                         statistics::magnitude(a12)));
}

statistics::RankSumMethod rank_sum_method(const StatsOptions& options,
                                          const std::vector<std::vector<double>>& samples) {
  if (options.method == "normal") return statistics::RankSumMethod::normal;
  if (options.method != "exact") return statistics::RankSumMethod::automatic;
  if (!statistics::exact_is_possible(samples[0], samples[1])) {
    throw InputError(
        fmt::format("--method: exact needs samples without equal values and at most {} pairs",
                    statistics::kExactPairsMax));
  }
  return statistics::RankSumMethod::exact;
}

struct WilcoxonAnswer {
  std::string test = "wilcoxon";
  SampleAnswers samples;
  std::string alternative, method;
  bool continuity_correction = false;
  bool ties = false;
  Figure w, p_value, a12;
  std::string magnitude;
};
DISSENSUS_DESCRIBE(WilcoxonAnswer, test, samples, alternative, method, continuity_correction, ties,
                   w, p_value, a12, magnitude)
const AnswerRegistration kWilcoxonAnswer = answers_with<WilcoxonAnswer>("stats wilcoxon");

ExitCode wilcoxon(const StatsOptions& options) {
  const auto samples = read_samples(options);
  const statistics::RankSumResult result = statistics::wilcoxon_rank_sum(
      samples[0], samples[1],
      {alternative_of(options), rank_sum_method(options, samples), !options.no_correction});
  const double a12 = statistics::vargha_delaney(samples[0], samples[1]);
  WilcoxonAnswer answer;
  answer.samples = describe_samples(options, samples);
  answer.alternative = options.alternative;
  answer.method = result.exact ? "exact" : "normal";
  answer.continuity_correction = !result.exact && !options.no_correction;
  answer.ties = result.ties;
  answer.w = {result.w};
  answer.p_value = {result.p_value};
  answer.a12 = {a12};
  answer.magnitude = statistics::magnitude(a12);
  return finish(options, answer, [&] {
    fmt::print("Wilcoxon rank-sum test, {}, {}{}\n", options.alternative,
               result.exact ? "exact" : "normal approximation",
               result.ties ? " corrected for equal values" : "");
    print_samples(answer.samples);
    print_line("W", shown(result.w));
    print_line("p-value", std::isnan(result.p_value) ? "undefined: all values are equal"
                                                     : fmt::format("{:.4g}", result.p_value));
    print_a12(a12);
  });
}

struct EffectSizeAnswer {
  std::string test = "a12";
  SampleAnswers samples;
  Figure a12;
  std::string magnitude;
};
DISSENSUS_DESCRIBE(EffectSizeAnswer, test, samples, a12, magnitude)
const AnswerRegistration kEffectSizeAnswer = answers_with<EffectSizeAnswer>("stats a12");

ExitCode a12(const StatsOptions& options) {
  const auto samples = read_samples(options);
  const double value = statistics::vargha_delaney(samples[0], samples[1]);
  EffectSizeAnswer answer;
  answer.samples = describe_samples(options, samples);
  answer.a12 = {value};
  answer.magnitude = statistics::magnitude(value);
  return finish(options, answer, [&] {
    fmt::print("Vargha and Delaney's effect size\n");
    print_samples(answer.samples);
    print_a12(value);
  });
}

// One sample

struct ShapiroAnswer {
  std::string test = "shapiro";
  SampleAnswers samples;
  Figure w, p_value;
};
DISSENSUS_DESCRIBE(ShapiroAnswer, test, samples, w, p_value)
const AnswerRegistration kShapiroAnswer = answers_with<ShapiroAnswer>("stats shapiro");

ExitCode shapiro(const StatsOptions& options) {
  const auto samples = read_samples(options);
  const std::size_t size = samples[0].size();
  if (size < statistics::kShapiroWilkSizeMin || size > statistics::kShapiroWilkSizeMax) {
    throw InputError(fmt::format("{}: expected {} to {} numbers, found {}", options.files[0],
                                 statistics::kShapiroWilkSizeMin, statistics::kShapiroWilkSizeMax,
                                 size));
  }
  const statistics::ShapiroWilkResult result = statistics::shapiro_wilk(samples[0]);
  if (std::isnan(result.w)) {
    throw InputError(fmt::format("{}: expected numbers that differ, found {} times {}",
                                 options.files[0], size, samples[0].front()));
  }
  ShapiroAnswer answer;
  answer.samples = describe_samples(options, samples);
  answer.w = {result.w};
  answer.p_value = {result.p_value};
  return finish(options, answer, [&] {
    fmt::print("Shapiro-Wilk test of normality\n");
    print_samples(answer.samples);
    print_line("W", shown(result.w));
    print_line("p-value", fmt::format("{:.4g}", result.p_value));
    print_line("", "a small p-value speaks against a normal distribution");
  });
}

statistics::Statistic statistic_of(const std::string& name) {
  if (name == "median") {
    return [](std::span<const double> sample) { return statistics::quantile(sample, 0.5); };
  }
  if (name == "sd") return statistics::standard_deviation;
  return statistics::mean;
}

struct BootstrapAnswer {
  std::string test = "bootstrap";
  SampleAnswers samples;
  std::string statistic, method;
  std::size_t resamples = 0;
  std::uint64_t seed = 0;
  Figure estimate, standard_error;
  double confidence = 0;
  Figures interval;
};
DISSENSUS_DESCRIBE(BootstrapAnswer, test, samples, statistic, method, resamples, seed, estimate,
                   standard_error, confidence, interval)
const AnswerRegistration kBootstrapAnswer = answers_with<BootstrapAnswer>("stats bootstrap");

ExitCode bootstrap(const StatsOptions& options) {
  check_share("--confidence", options.confidence);
  const auto samples = read_samples(options);
  // Both keep the work below about a minute.
  constexpr std::size_t kNumbersMax = 10'000;
  constexpr std::size_t kDrawsMax = 500'000'000;
  const std::size_t size = samples[0].size();
  if (size > kNumbersMax) {
    throw InputError(fmt::format("{}: expected at most {} numbers, found {}", options.files[0],
                                 kNumbersMax, size));
  }
  if (options.resamples == 0 || options.resamples > kDrawsMax / size) {
    throw InputError(fmt::format("--resamples: expected 1 to {} for {} numbers, found {}",
                                 kDrawsMax / size, size, options.resamples));
  }
  statistics::BootstrapOptions settings;
  settings.method = options.method == "percentile" ? statistics::BootstrapMethod::percentile
                                                   : statistics::BootstrapMethod::bca;
  settings.confidence = options.confidence;
  settings.resamples = options.resamples;
  settings.seed = options.seed;
  const statistics::BootstrapResult result =
      statistics::bootstrap(samples[0], statistic_of(options.statistic), settings);
  BootstrapAnswer answer;
  answer.samples = describe_samples(options, samples);
  answer.statistic = options.statistic;
  answer.method = statistics::to_string(result.method);
  answer.resamples = options.resamples;
  answer.seed = options.seed;
  answer.estimate = {result.estimate};
  answer.standard_error = {result.standard_error};
  answer.confidence = options.confidence;
  answer.interval = figures_of(result.interval);
  return finish(options, answer, [&] {
    fmt::print("Bootstrap of the {}, {} resamples, seed {}\n", options.statistic, options.resamples,
               options.seed);
    print_samples(answer.samples);
    print_line("estimate", fmt::format("{} (standard error {})", shown(result.estimate),
                                       shown(result.standard_error)));
    const bool fell_back = result.method != settings.method;
    print_line("interval",
               fmt::format("{} ({}, {}{})", shown(result.interval), percent(options.confidence),
                           statistics::to_string(result.method),
                           fell_back ? "; bca is undefined here" : ""));
  });
}

/// std::vector<bool> has no references; JSON makes no difference.
struct Truth {
  bool value = false;
  OrderedJson to_json() const { return value; }
  static OrderedJson schema() { return schema_of<bool>(); }
};

struct HolmAnswer {
  std::string test = "holm";
  double level = 0;
  std::vector<double> p_values, adjusted;
  std::vector<Truth> significant;
};
DISSENSUS_DESCRIBE(HolmAnswer, test, level, p_values, adjusted, significant)
const AnswerRegistration kHolmAnswer = answers_with<HolmAnswer>("stats holm");

ExitCode holm(const StatsOptions& options) {
  check_share("--level", options.level);
  for (const double p : options.p_values) {
    if (!(p >= 0 && p <= 1)) {
      throw InputError(fmt::format("expected p-values between 0 and 1, found {}", p));
    }
  }
  const std::vector<double> adjusted = statistics::holm_adjusted(options.p_values);
  HolmAnswer answer;
  answer.level = options.level;
  answer.p_values = options.p_values;
  answer.adjusted = adjusted;
  for (const double p : adjusted) answer.significant.push_back({p <= options.level});
  return finish(options, answer, [&] {
    fmt::print("Holm's correction for {} tests\n\n{:>12}{:>12}\n", adjusted.size(), "p-value",
               "adjusted");
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      fmt::print("{:>12.4g}{:>12.4g}{}\n", options.p_values[i], adjusted[i],
                 adjusted[i] <= options.level ? "  *" : "");
    }
    fmt::print("\n* significant at {} over all tests together\n", options.level);
  });
}

// Survival

statistics::SurvivalOptions survival_options(const StatsOptions& options) {
  statistics::SurvivalOptions result;
  result.confidence = options.confidence;
  if (options.scale == "log-log") result.scale = statistics::SurvivalScale::log_log;
  if (options.scale == "plain") result.scale = statistics::SurvivalScale::plain;
  return result;
}

struct SurvivalPointAnswer {
  double time = 0;
  std::uint64_t at_risk = 0, events = 0, censored = 0;
  double survival = 0;
  Figure standard_error;
  Figures interval;
};
DISSENSUS_DESCRIBE(SurvivalPointAnswer, time, at_risk, events, censored, survival, standard_error,
                   interval)

struct SurvivalGroupAnswer {
  std::string group;
  std::uint64_t observations = 0, events = 0;
  Figure median;
  Figures median_interval;
  Figure restricted_mean, restricted_mean_standard_error;
  std::vector<SurvivalPointAnswer> curve;
};
DISSENSUS_DESCRIBE(SurvivalGroupAnswer, group, observations, events, median, median_interval,
                   restricted_mean, restricted_mean_standard_error, curve)

SurvivalGroupAnswer answer_of(const std::string& name, const statistics::SurvivalCurve& curve,
                              const statistics::RestrictedMean& mean) {
  SurvivalGroupAnswer answer;
  answer.group = name;
  answer.observations = curve.observations;
  answer.events = curve.events;
  answer.median = {curve.median};
  answer.median_interval = figures_of(curve.median_interval);
  answer.restricted_mean = {mean.mean};
  answer.restricted_mean_standard_error = {mean.standard_error};
  for (const statistics::SurvivalPoint& point : curve.points) {
    answer.curve.push_back({point.time,
                            point.at_risk,
                            point.events,
                            point.censored,
                            point.survival,
                            {point.standard_error},
                            figures_of(point.interval)});
  }
  return answer;
}

std::string median_text(const statistics::SurvivalCurve& curve) {
  if (std::isnan(curve.median)) return "not reached";
  const auto limit = [](double value) { return std::isnan(value) ? "?" : shown(value); };
  return fmt::format("{} ({} to {})", shown(curve.median), limit(curve.median_interval.low),
                     limit(curve.median_interval.high));
}

void print_curves(const StatsOptions& options, const statistics::ObservationGroups& groups,
                  const std::vector<statistics::SurvivalCurve>& curves, double until) {
  std::size_t width = 5;
  for (const std::string& name : groups.names) width = std::max(width, name.size());
  fmt::print("Kaplan-Meier, {} intervals ({})\n\n", percent(options.confidence), options.scale);
  fmt::print("{:<{}}{:>7}{:>8}  {:<32}  mean until {}\n", "group", width, "n", "events",
             "median (interval; ? no limit)", shown(until));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const statistics::RestrictedMean mean = statistics::restricted_mean(curves[i], until);
    fmt::print("{:<{}}{:>7}{:>8}  {:<32}  {} (standard error {})\n", groups.names[i], width,
               curves[i].observations, curves[i].events, median_text(curves[i]), shown(mean.mean),
               shown(mean.standard_error));
  }
  constexpr int kTimes = 4;
  fmt::print("\n{:<{}}", "still without the event at", width + 28);
  for (int k = 1; k <= kTimes; ++k) fmt::print("{:>10}", shown(until * k / kTimes));
  fmt::print("\n");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    fmt::print("{:<{}}", groups.names[i], width + 28);
    for (int k = 1; k <= kTimes; ++k) {
      fmt::print("{:>9.1f}%", 100 * statistics::survival_at(curves[i], until * k / kTimes));
    }
    fmt::print("\n");
  }
}

void print_log_rank(const statistics::LogRankResult& result) {
  if (result.groups.size() < 2) return;
  fmt::print("\n");
  if (std::isnan(result.p_value)) {
    print_line("log-rank", "undefined: no two groups with events to compare");
    return;
  }
  print_line("log-rank",
             fmt::format("chi-square {} on {} degree{} of freedom", shown(result.chi_square),
                         result.degrees_of_freedom, result.degrees_of_freedom == 1 ? "" : "s"));
  print_line("p-value", fmt::format("{:.4g}", result.p_value));
}

struct LogRankGroupAnswer {
  std::string group;
  double observed = 0, expected = 0;
};
DISSENSUS_DESCRIBE(LogRankGroupAnswer, group, observed, expected)

struct LogRankAnswer {
  Figure chi_square;
  std::size_t degrees_of_freedom = 0;
  Figure p_value;
  std::vector<LogRankGroupAnswer> groups;
};
DISSENSUS_DESCRIBE(LogRankAnswer, chi_square, degrees_of_freedom, p_value, groups)

struct SurvivalAnswer {
  std::string test = "survival";
  std::string scale;
  double confidence = 0, until = 0;
  std::vector<SurvivalGroupAnswer> groups;
  Nullable<LogRankAnswer> log_rank;  ///< of two groups or more
};
DISSENSUS_DESCRIBE(SurvivalAnswer, test, scale, confidence, until, groups, log_rank)
const AnswerRegistration kSurvivalAnswer = answers_with<SurvivalAnswer>("stats survival");

LogRankAnswer answer_of(const std::vector<std::string>& names,
                        const statistics::LogRankResult& test) {
  LogRankAnswer answer{{test.chi_square}, test.degrees_of_freedom, {test.p_value}, {}};
  for (std::size_t i = 0; i < test.groups.size(); ++i) {
    answer.groups.push_back({names[i], test.groups[i].observed, test.groups[i].expected});
  }
  return answer;
}

ExitCode survival(const StatsOptions& options) {
  check_share("--confidence", options.confidence);
  if (!(options.until >= 0) || std::isinf(options.until)) {
    throw InputError(fmt::format("--until: expected a time above 0, found {}", options.until));
  }
  const statistics::ObservationGroups groups =
      statistics::read_observations(NumberFile::read(options.files[0]), options.columns);
  const double until = options.until > 0 ? options.until : groups.time_max;
  std::vector<statistics::SurvivalCurve> curves;
  SurvivalAnswer answer;
  answer.scale = options.scale;
  answer.confidence = options.confidence;
  answer.until = until;
  for (std::size_t i = 0; i < groups.names.size(); ++i) {
    curves.push_back(statistics::kaplan_meier(groups.observations[i], survival_options(options)));
    answer.groups.push_back(
        answer_of(groups.names[i], curves[i], statistics::restricted_mean(curves[i], until)));
  }
  const statistics::LogRankResult test = statistics::log_rank(groups.observations);
  if (groups.names.size() > 1) answer.log_rank.value = answer_of(groups.names, test);
  return finish(options, answer, [&] {
    print_curves(options, groups, curves, until);
    print_log_rank(test);
  });
}

// The command line

struct Test {
  CLI::App* app;
  ExitCode (*run)(const StatsOptions&);
};

class TestAdder {
 public:
  TestAdder(CLI::App& verb, StatsOptions& options) : verb_(verb), options_(options) {}

  CLI::App& add(const char* name, const char* summary, ExitCode (*run)(const StatsOptions&)) {
    CLI::App* app = verb_.add_subcommand(name, summary);
    options_.output.add_to(*app);
    tests_.push_back({app, run});
    return *app;
  }
  void files(CLI::App& app, std::size_t count) const {
    constexpr std::array kNames{"first", "second"};
    for (std::size_t i = 0; i < count; ++i) {
      app.add_option(count == 1 ? "file" : kNames[i], options_.files[i],
                     "Numbers, one per line or a column; - is standard input")
          ->required();
    }
    app.add_option("--column", options_.column, "The column to read, named in the first line");
  }
  void alternative(CLI::App& app) const {
    app.add_option("--alternative", options_.alternative,
                   "two-sided, or greater or less: the first against the second")
        ->check(CLI::IsMember({"two-sided", "greater", "less"}))
        ->capture_default_str();
  }
  void confidence(CLI::App& app) const {
    app.add_option("--confidence", options_.confidence, "Of intervals")->capture_default_str();
  }
  std::vector<Test> tests() const { return tests_; }

 private:
  CLI::App& verb_;
  StatsOptions& options_;
  std::vector<Test> tests_;
};

void add_two_sample_tests(TestAdder& adder, StatsOptions& options) {
  CLI::App& fisher_app = adder.add("fisher", "Fisher's exact test of a 2 x 2 table", fisher);
  constexpr std::array kCells{"first-yes", "first-no", "second-yes", "second-no"};
  for (std::size_t i = 0; i < kCells.size(); ++i) {
    fisher_app.add_option(kCells[i], options.counts[i], "Count")->required();
  }
  adder.alternative(fisher_app);
  adder.confidence(fisher_app);
  fisher_app.footer("Example:\n  dissensus stats fisher 64 26 11 79");

  CLI::App& wilcoxon_app =
      adder.add("wilcoxon", "Wilcoxon rank-sum test of two samples, with A12", wilcoxon);
  adder.files(wilcoxon_app, 2);
  adder.alternative(wilcoxon_app);
  wilcoxon_app
      .add_option("--method", options.method,
                  "exact or normal; default: exact for fewer than 50 different values each")
      ->check(CLI::IsMember({"exact", "normal"}));
  wilcoxon_app.add_flag("--no-correction", options.no_correction,
                        "Leave out the continuity correction of the normal approximation");
  wilcoxon_app.footer("Example:\n  dissensus stats wilcoxon delay.csv random.csv --column seconds");

  CLI::App& a12_app = adder.add("a12", "Vargha and Delaney's effect size of two samples", a12);
  adder.files(a12_app, 2);
  a12_app.footer("Example:\n  dissensus stats a12 delay.csv random.csv");
}

void add_other_tests(TestAdder& adder, StatsOptions& options) {
  CLI::App& shapiro_app = adder.add("shapiro", "Shapiro-Wilk test of normality", shapiro);
  adder.files(shapiro_app, 1);
  shapiro_app.footer("Example:\n  dissensus stats shapiro times.csv");

  CLI::App& survival_app =
      adder.add("survival", "Kaplan-Meier curves and the log-rank test", survival);
  survival_app.add_option("file", options.files[0], "CSV with a header; - is standard input")
      ->required();
  survival_app.add_option("--time", options.columns.time, "Column of times")->capture_default_str();
  survival_app.add_option("--event", options.columns.event, "Column of 1 (seen) and 0 (censored)")
      ->capture_default_str();
  survival_app.add_option("--group", options.columns.group,
                          "Column of groups; default: group, where there is one");
  survival_app.add_option("--scale", options.scale, "Of intervals: log, log-log or plain")
      ->check(CLI::IsMember({"log", "log-log", "plain"}))
      ->capture_default_str();
  survival_app.add_option("--until", options.until,
                          "Where restricted means end; default: the last time");
  adder.confidence(survival_app);
  survival_app.footer("Example:\n  dissensus stats survival detections.csv --group search");

  CLI::App& holm_app = adder.add("holm", "Holm's correction of several p-values", holm);
  holm_app.add_option("p-values", options.p_values, "P-values")->required();
  holm_app.add_option("--level", options.level, "Of significance")->capture_default_str();
  holm_app.footer("Example:\n  dissensus stats holm 0.009 0.119 0.422");

  CLI::App& bootstrap_app = adder.add("bootstrap", "Bootstrap confidence interval", bootstrap);
  adder.files(bootstrap_app, 1);
  bootstrap_app.add_option("--statistic", options.statistic, "mean, median or sd")
      ->check(CLI::IsMember({"mean", "median", "sd"}))
      ->capture_default_str();
  bootstrap_app.add_option("--method", options.method, "percentile or bca; default: bca")
      ->check(CLI::IsMember({"percentile", "bca"}));
  bootstrap_app.add_option("--resamples", options.resamples, "How many")->capture_default_str();
  bootstrap_app.add_option("--seed", options.seed, "Of the resampling")->capture_default_str();
  adder.confidence(bootstrap_app);
  bootstrap_app.footer("Example:\n  dissensus stats bootstrap times.csv --statistic median");
}

ExitCode run_test(const CLI::App& verb, const std::vector<Test>& tests,
                  const StatsOptions& options) {
  for (const Test& test : tests) {
    if (!test.app->parsed()) continue;
    refuse_unknown_words(*test.app);
    return test.run(options);
  }
  std::vector<std::string> names;
  for (const Test& test : tests) names.push_back(test.app->get_name());
  const std::vector<std::string> words = verb.remaining();
  if (words.empty()) {
    throw InputError(fmt::format("stats: expected a test ({})", fmt::join(names, ", ")));
  }
  throw InputError(fmt::format("stats: no test '{}'{} (tests: {})", words.front(),
                               suggestion(words.front(), names), fmt::join(names, ", ")));
}

}  // namespace

Verb add_stats_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("stats", "Statistical tests, as R computes them");
  const auto options = std::make_shared<StatsOptions>();
  app->require_subcommand(0, 1);  // a file may have the name of a test
  app->allow_extras();            // unknown words are explained by run_test
  TestAdder adder(*app, *options);
  add_two_sample_tests(adder, *options);
  add_other_tests(adder, *options);
  app->footer("Example:\n  dissensus stats fisher 64 26 11 79 --json");
  return {app, [app, options, tests = adder.tests()] { return run_test(*app, tests, *options); }};
}

}  // namespace dissensus::cli
