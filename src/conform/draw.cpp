#include "conform/draw.h"

#include <algorithm>

namespace dissensus::conform {

InputValues draw_inputs(const Mapping& mapping, Random& random) {
  InputValues values;
  for (const MappingInput& input : mapping.inputs) {
    values.push_back(input.is_whole
                         ? static_cast<double>(random.between(static_cast<std::int64_t>(input.from),
                                                              static_cast<std::int64_t>(input.to)))
                         : input.from + random.unit() * (input.to - input.from));
  }
  return values;
}

InputValues smaller_inputs(const Mapping& mapping, InputValues values, Random& random) {
  const InputValues other = draw_inputs(mapping, random);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const MappingInput& input = mapping.inputs[index];
    if (input.is_whole) values[index] = std::min(values[index], other[index]);
    if (input.usual) values[index] = *input.usual;
  }
  return values;
}

std::vector<double> walk_weights(const Mapping& mapping, std::vector<double> weights,
                                 std::uint64_t walk, Random& random) {
  if (!mapping.swarm) return weights;
  if (walk % 8 == 6) {
    for (double& weight : weights) weight = weight > 0 ? 1 : 0;
  }
  if (walk % 2 == 0) return weights;
  for (double& weight : weights) {
    if (weight >= 1 || !random.chance(0.5)) continue;
    weight = walk % 4 == 1 ? 0 : std::min(1.0, 20 * weight);
  }
  return weights;
}

}  // namespace dissensus::conform
