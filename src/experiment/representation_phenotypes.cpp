#include "experiment/representation_phenotypes.h"

#include <algorithm>
#include <utility>

#include "dissensus/options.h"

#include "run/recording.h"
#include "trace/program_graph.h"

namespace dissensus::experiment {
namespace {

std::vector<double> payload_shares(const trace::Trace& trace,
                                   const SystemDescription& description) {
  std::vector<double> shares(description.payloads.size(), 0);
  double all = 0;
  for (const trace::Record& record : trace.records) {
    if (record.type != EventType::deliver) continue;
    shares[description.kinds[record.kind].payload] += 1;
    all += 1;
  }
  if (all > 0) {
    for (double& share : shares) share /= all;
  }
  return shares;
}

Digest digest_of(const trace::LabelledGraph& graph) {
  DigestBuilder builder;
  builder.add(graph.vertices());
  for (const std::uint64_t label : graph.labels) builder.add(label);
  for (const trace::LabelledGraph::Edge& edge : graph.edges) {
    builder.add(std::uint64_t{edge.from} << 32 | edge.to);
  }
  return builder.finish();
}

/// All vertices with one label.
trace::GraphProfile uniform_profile(trace::LabelledGraph graph, std::uint64_t label) {
  std::fill(graph.labels.begin(), graph.labels.end(), label);
  return trace::GraphProfile(graph);
}

EventId last_start(const trace::Trace& trace) {
  EventId last = 0;
  for (const trace::Record& record : trace.records) {
    if (record.type == EventType::start) last = record.id;
  }
  return last;
}

}  // namespace

Phenotype make_phenotype(run::Runner& runner, const run::Scenario& scenario,
                         const PhenotypeRequest& request) {
  run::RunOptions options = run::with_trace();
  if (request.then_seed) {
    options.branch = run::Branch{request.started, std::nullopt, *request.then_seed};
  }
  run::RunResult result = runner.run(scenario, *request.schedule, request.seed, options);
  if (result.records_cut) {
    throw InputError(scenario.path +
                     ": limits.trace_bytes: a run does not fit, and distances need whole traces");
  }
  trace::Trace trace;
  trace.header.nodes = scenario.nodes();
  trace.records = std::move(result.records);
  return phenotype_of(trace, scenario.system_description(), result.hash);
}

Phenotype phenotype_of(const trace::Trace& trace, const SystemDescription& description,
                       std::uint64_t hash) {
  trace::LabelledGraph events = trace::trace_graph(trace);
  trace::LabelledGraph contents = trace::trace_graph(trace, {.label = trace::EventLabel::content});
  std::vector<std::size_t> types;
  for (const KindDescription& kind : description.kinds) {
    types.push_back(kind.payload);
  }
  trace::LabelledGraph program = trace::program_graph(trace, types);
  trace::GraphProfile events_profile(events);
  trace::GraphProfile contents_profile(contents);
  const Digest identity = digest_of(contents);
  return {std::move(events),
          std::move(contents),
          std::move(program),
          std::move(events_profile),
          std::move(contents_profile),
          hash,
          identity,
          last_start(trace),
          payload_shares(trace, description)};
}

run::Scenario with_jitter(run::Scenario scenario, Duration jitter) {
  if (jitter == Duration{}) return scenario;
  for (sim::LinkModel& model : scenario.plan.models) {
    sim::Latency& latency = model.latency;
    if (latency.kind == sim::Latency::Kind::constant) {
      latency.kind = sim::Latency::Kind::uniform;
      latency.b = latency.a;
    }
    latency.b += jitter;
  }
  return scenario;
}

PairDistance distance_between(const Phenotype& first, const Phenotype& second) {
  const double scale = static_cast<double>(
      std::max<std::size_t>(trace::edit_distance_max(first.events, second.events), 1));
  PairDistance distance;
  distance.hausdorff_edits =
      trace::hausdorff_edit_distance(first.events_profile, second.events_profile);
  distance.hausdorff = distance.hausdorff_edits / scale;
  distance.edit_path =
      static_cast<double>(trace::edit_path_cost(first.events, second.events)) / scale;
  distance.hausdorff_content =
      trace::hausdorff_edit_distance(first.contents_profile, second.contents_profile) / scale;
  distance.hausdorff_disjoint = trace::hausdorff_edit_distance(uniform_profile(first.events, 0),
                                                               uniform_profile(second.events, 1)) /
                                scale;
  distance.program = trace::program_edit_distance(first.program, second.program) /
                     static_cast<double>(std::max<std::size_t>(
                         trace::edit_distance_max(first.program, second.program), 1));
  distance.same_run = first.hash == second.hash;
  distance.same_trace = first.contents == second.contents;
  return distance;
}

void append(std::vector<double>& sample, const std::vector<double>& more) {
  sample.insert(sample.end(), more.begin(), more.end());
}

void PairSample::add(const PairDistance& distance) {
  hausdorff.push_back(distance.hausdorff);
  edit_path.push_back(distance.edit_path);
  hausdorff_content.push_back(distance.hausdorff_content);
  hausdorff_disjoint.push_back(distance.hausdorff_disjoint);
  program.push_back(distance.program);
  hausdorff_edits.push_back(distance.hausdorff_edits);
  same_run += distance.same_run ? 1 : 0;
  same_trace += distance.same_trace ? 1 : 0;
}

void PairSample::add(const PairSample& others) {
  append(hausdorff, others.hausdorff);
  append(edit_path, others.edit_path);
  append(hausdorff_content, others.hausdorff_content);
  append(hausdorff_disjoint, others.hausdorff_disjoint);
  append(program, others.program);
  append(hausdorff_edits, others.hausdorff_edits);
  same_run += others.same_run;
  same_trace += others.same_trace;
}

}  // namespace dissensus::experiment
