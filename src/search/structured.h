// Structured sampling: schedules in the shapes that networks fail in, instead of independent genes.
//
// A uniform draw per gene is almost never a split network: with 260 genes the delays of the two
// directions and of all kinds would have to agree by chance. Here a draw first chooses a shape
// (which links, which kinds, how late) and then fills in the genes, so that splits, isolated nodes,
// slow senders, late kinds and single late links all come up within the first few runs. The share
// of each shape follows the margins that it has reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

#include "dissensus/search.h"

namespace dissensus::search {

enum class Shape : std::uint8_t {
  even_split,     ///< two halves; what crosses is as late as may be
  remote_node,    ///< two halves and a node between them that hears both late
  noisy_split,    ///< two groups of any size; what crosses is late by at least a drawn level
  slow_links,     ///< each link has a level of its own
  late_links,     ///< a drawn share of the links is as late as may be
  slow_nodes,     ///< each sender, or each receiver, has a level of its own per kind
  late_messages,  ///< a drawn share of the genes is as late as may be
  patches,        ///< a few blocks of senders x receivers x kinds, each with its level
  uniform,        ///< every gene for itself
  overtaking,     ///< first messages of a type late at some receivers, later ones are not
};
inline constexpr std::size_t kShapes = 10;
inline constexpr std::array<std::string_view, kShapes> kShapeNames{
    "even-split", "remote-node",   "noisy-split", "slow-links", "late-links",
    "slow-nodes", "late-messages", "patches",     "uniform",    "overtaking"};

/// A draw of one shape. Priority spaces get the permutation in which late genes go last.
Genotype draw_shape(const SearchSpace& space, Shape shape, Random& random);

/// One shape, again and again; the stream names its random numbers.
std::unique_ptr<Search> make_one_shape(const SearchContext& context, Shape shape,
                                       std::string_view stream);
/// Messages that overtake others of their type, again and again; where the system does not tell
/// them apart, every gene for itself.
std::unique_ptr<Search> make_overtaking(const SearchContext& context, const Options& options);

/// Every gene for itself, from a level of its range on that is drawn for each candidate: the total
/// delay varies, where that of uniform draws hardly does (docs/results/mechanism.md).
std::unique_ptr<Search> make_slow(const SearchContext& context, const Options& options);

/// Draws every shape at least once, the likeliest first, then by weights that follow the margins.
/// Shapes that the space does not have are left out.
std::unique_ptr<Search> make_structured(const SearchContext& context, const Options& options);

}  // namespace dissensus::search
