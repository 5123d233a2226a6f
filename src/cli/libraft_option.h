// --libraft PATH: scenarios of kind "libraft" run another library than the one that the program was
// linked with, e.g. one with a fix. It has to have the same interface (SONAME).
#pragma once

namespace dissensus::cli {

/// Takes the option out of the words, wherever it stands. If the library of that prefix is not the
/// one that is loaded, the program begins anew with it. Throws InputError.
void use_named_libraft(int& argc, char** argv);

}  // namespace dissensus::cli
