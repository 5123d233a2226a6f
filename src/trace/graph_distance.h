// Distances between labelled graphs: graph edit distance and bounds on it. Edit operations are
// insertion, deletion and relabelling of a vertex, and insertion and deletion of an edge, each of
// cost 1 (thesis 3.2.2). docs/results/representation.md derives the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace_graph.h"

namespace dissensus::trace {

inline constexpr std::size_t kExactVerticesMax = 8;

/// The graph edit distance itself, by A*; exponential. Graphs of at most kExactVerticesMax
/// vertices.
std::uint32_t exact_edit_distance(const LabelledGraph& first, const LabelledGraph& second);

/// What the Hausdorff distance reads of a graph: vertices in classes of equal label and degrees.
/// Made once per graph where one graph is compared with many.
class GraphProfile {
 public:
  struct Degrees {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    friend auto operator<=>(const Degrees&, const Degrees&) = default;
  };
  struct VertexClass {
    std::uint64_t label = 0;
    Degrees degrees;
    std::uint32_t vertices = 0;
  };

  explicit GraphProfile(const LabelledGraph& graph);
  std::size_t vertices() const { return vertices_; }
  std::size_t edges() const { return edges_; }
  const std::vector<VertexClass>& classes() const { return classes_; }        ///< by label, degrees
  const std::vector<Degrees>& degree_pairs() const { return degree_pairs_; }  ///< all that occur

 private:
  std::size_t vertices_;
  std::size_t edges_;
  std::vector<VertexClass> classes_;
  std::vector<Degrees> degree_pairs_;
};

/// Hausdorff edit distance (Fischer et al. 2015) with its lower bounds on node and edge costs:
/// never above the exact distance, symmetric, 0 for equal graphs (and for some different ones).
double hausdorff_edit_distance(const GraphProfile& first, const GraphProfile& second);
double hausdorff_edit_distance(const LabelledGraph& first, const LabelledGraph& second);

/// Cost of one way to edit one graph into the other: never below the exact distance, symmetric, 0
/// exactly for equal graphs of traces. Vertices of a label are matched in the order of their
/// numbers.
std::uint64_t edit_path_cost(const LabelledGraph& first, const LabelledGraph& second);

/// The thesis's normalisation (4.1.1): max(|N_x|, |N_y|) + |E_x| + |E_y|, an upper bound of the
/// exact distance. 0 for two empty graphs.
std::size_t edit_distance_max(const LabelledGraph& first, const LabelledGraph& second);

}  // namespace dissensus::trace
