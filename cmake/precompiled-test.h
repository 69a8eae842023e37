/* SPDX-License-Identifier: GPL-2.0-only */

// What most tests include, compiled once; see precompiled.h.

#include "precompiled.h"

#include <gtest/gtest.h>
