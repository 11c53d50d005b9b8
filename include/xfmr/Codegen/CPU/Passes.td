#ifndef XFMR_CODEGEN_CPU_PASSES_TD
#define XFMR_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // XFMR_CODEGEN_CPU_PASSES_TD
