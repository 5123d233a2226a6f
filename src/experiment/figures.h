// The figures of an experiment.
#pragma once

#include <string>
#include <vector>

#include "experiment/tables.h"

namespace dissensus::experiment {

struct StudyFigure {
  std::string name;  ///< of its files
  std::string title;
  std::string svg;
};
StudyFigure make_figure(FigureKind kind, const ArrangedResults& results,
                        const std::vector<RepresentationResult>& representation);

}  // namespace dissensus::experiment
