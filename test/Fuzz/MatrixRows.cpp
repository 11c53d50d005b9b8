//===- MatrixRows.cpp - Rows of the matrix of ops, as modules -------------===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Integration/Matrix/Combination.h"
#include "Generator.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::xfmr;
using namespace mlir::xfmr::fuzz;

/// A value for every parameter, or nothing when the first choices have led
/// where no others go.
static bool complete(test::Choice &choice, const test::OpPlan &plan,
                     Random &random) {
  for (size_t p = 0; p < plan.parameters.size(); ++p) {
    std::vector<int> possible;
    for (size_t v = 0; v < plan.parameters[p].values.size(); ++v) {
      choice.set(p, v);
      if (plan.isPossible(choice))
        possible.push_back(v);
    }
    if (possible.empty())
      return false;
    choice.set(p, random.pick(possible));
  }
  return true;
}

std::string fuzz::generateMatrixRow(Random &random) {
  static const std::vector<test::OpPlan> plans = [] {
    std::vector<test::OpPlan> all;
#define XFMR_PLANS(FAMILY) llvm::append_range(all, test::get##FAMILY##Plans());
#include "../Integration/Matrix/Plans.def"
    return all;
  }();
  while (true) {
    const test::OpPlan &plan = random.pick(plans);
    test::Choice choice(plan.parameters);
    if (!complete(choice, plan, random))
      continue;
    std::string text = plan.write(choice).text;
    return text.replace(text.find("$NAME"), 5, plan.op);
  }
}
