#include "cli/program.h"
#include "conform/model_states.h"

namespace dissensus::cli {

std::vector<Verb> add_verbs(CLI::App& program) {
  return {add_list_verb(program),     add_check_verb(program),    add_run_verb(program),
          add_hunt_verb(program),     add_campaign_verb(program), add_replay_verb(program),
          add_shrink_verb(program),   add_diff_verb(program),     add_report_verb(program),
          add_export_verb(program),   add_serve_verb(program),    add_bundle_verb(program),
          add_corpus_verb(program),   add_confirm_verb(program),  add_tla_verb(program),
          add_conform_verb(program),  add_history_verb(program),  add_isolate_verb(program),
          add_store_verb(program),    add_work_verb(program),     add_watch_verb(program),
          add_study_verb(program),    add_stats_verb(program),    add_fidelity_verb(program),
          add_new_verb(program),      add_import_verb(program),   add_completion_verb(program),
          add_manual_verb(program),   add_paper_verb(program),    add_distance_verb(program),
          add_maelstrom_verb(program)};
}

std::string note_on_verbs() {
  return {};
}

void hand_over(const std::vector<Verb>&, int, char**) {}

std::unique_ptr<run::StateSource> make_model_states(const std::string& mapping,
                                                    const run::Scenario& scenario) {
  return conform::make_model_states(mapping, scenario);
}

}  // namespace dissensus::cli
