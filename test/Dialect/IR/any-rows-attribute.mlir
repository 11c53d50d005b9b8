// RUN: xfmr-opt --verify-diagnostics --split-input-file %s

func.func @on_another_op(%a: f32) {
  // expected-error @below {{expected 'xfmr.any_rows' to be a unit on an scf.forall}}
  %0 = math.exp %a {xfmr.any_rows} : f32
  return
}

// -----

func.func @no_unit() {
  // expected-error @below {{expected 'xfmr.any_rows' to be a unit on an scf.forall}}
  scf.forall (%i) in (4) {
  } {xfmr.any_rows = 1}
  return
}
