// Everything that someone who tests their own system needs.
#pragma once

#include "dissensus/description.h"
#include "dissensus/digest.h"
#include "dissensus/faults.h"
#include "dissensus/fitness.h"
#include "dissensus/ids.h"
#include "dissensus/message.h"
#include "dissensus/node.h"
#include "dissensus/options.h"
#include "dissensus/plugin.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"
#include "dissensus/scheduler.h"
#include "dissensus/search.h"
#include "dissensus/state.h"
#include "dissensus/system.h"
#include "dissensus/time.h"
