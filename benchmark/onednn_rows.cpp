//===- onednn_rows.cpp - Gates and softmax of oneDNN, for row_worker.py ---===//
//
// Part of the xfmr project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gate is one eltwise primitive with the product as its post-op, where the
// library has fast code for that, and else two primitives.
//
//===----------------------------------------------------------------------===//

#include "oneapi/dnnl/dnnl.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

using namespace dnnl;

namespace {
struct State {
  engine cpu{engine::kind::cpu, 0};
  stream queue{cpu};
  struct Step {
    primitive op;
    std::unordered_map<int, memory> arguments;
  };
  std::vector<Step> steps;
  std::string message;
};

State &getState() {
  static State state;
  return state;
}

algorithm getAlgorithm(const std::string &name) {
  if (name == "gated_silu")
    return algorithm::eltwise_swish;
  if (name == "gated_gelu_erf")
    return algorithm::eltwise_gelu_erf;
  return algorithm::eltwise_gelu_tanh;
}

void setUp(State &state, const std::string &name, memory::data_type type,
           int64_t rows, int64_t d, void *x, void *u, void *y) {
  memory::desc desc({rows, d}, type, memory::format_tag::ab);
  memory source(desc, state.cpu, x), other(desc, state.cpu, u),
      result(desc, state.cpu, y);
  if (name == "softmax") {
    softmax_forward::primitive_desc softmax(
        state.cpu, prop_kind::forward_inference, algorithm::softmax_accurate,
        desc, desc, /*axis=*/1);
    state.message = softmax.impl_info_str();
    state.steps = {{softmax_forward(softmax),
                    {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, result}}}};
    return;
  }
  auto describe = [&](const primitive_attr &attributes) {
    return eltwise_forward::primitive_desc(
        state.cpu, prop_kind::forward_inference, getAlgorithm(name), desc, desc,
        /*alpha=*/1.0f, /*beta=*/0.0f, attributes);
  };
  post_ops product;
  product.append_binary(algorithm::binary_mul, desc);
  primitive_attr attributes;
  attributes.set_post_ops(product);
  eltwise_forward::primitive_desc fused = describe(attributes);
  state.message = fused.impl_info_str();
  if (state.message.rfind("ref", 0) != 0) {
    state.steps = {
        {eltwise_forward(fused),
         {{DNNL_ARG_SRC, source},
          {DNNL_ARG_DST, result},
          {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, other}}}};
    return;
  }
  eltwise_forward::primitive_desc gate = describe(primitive_attr());
  binary::primitive_desc multiply(state.cpu, algorithm::binary_mul, desc, desc,
                                  desc);
  memory between(desc, state.cpu);
  state.message =
      std::string(gate.impl_info_str()) + " + " + multiply.impl_info_str();
  state.steps = {{eltwise_forward(gate),
                  {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, between}}},
                 {binary(multiply),
                  {{DNNL_ARG_SRC_0, between},
                   {DNNL_ARG_SRC_1, other},
                   {DNNL_ARG_DST, result}}}};
}
} // namespace

extern "C" {
/// The message of the last failure, or what the library chose.
const char *rows_error() { return getState().message.c_str(); }

void rows_run(int64_t count) {
  State &state = getState();
  for (int64_t i = 0; i < count; ++i)
    for (const State::Step &step : state.steps)
      step.op.execute(state.queue, step.arguments);
  state.queue.wait();
}

/// Not 0 when the library cannot do it.
int rows_setup(const char *name, int isBF16, int64_t rows, int64_t d, void *x,
               void *u, void *y) {
  State &state = getState();
  try {
    setUp(state, name,
          isBF16 ? memory::data_type::bf16 : memory::data_type::f32, rows, d, x,
          u, y);
    rows_run(1);
    return 0;
  } catch (const error &failure) {
    state.message = "oneDNN: " + std::string(failure.what());
    return 1;
  }
}
}
