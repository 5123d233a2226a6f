// Functions that libm would compute differently from machine to machine. Made of exactly rounded
// operations only, so that the same seed gives the same hunt everywhere.
#pragma once

#include <span>

#include "dissensus/random.h"

namespace dissensus::search {

/// e^x; relative error < 1e-15 x (2 + |x|). 0 below -708, the largest double above 709.
double portable_exp(double x);

/// base^exponent for base >= 0; relative error < 1e-12 x (1 + |exponent|) where the result is
/// within the range of portable_exp. 0^0 is 1.
double portable_pow(double base, double exponent);

/// Independent standard normal values; several times faster than Random::normal one by one.
void fill_normal(std::span<double> values, Random& random);

}  // namespace dissensus::search
