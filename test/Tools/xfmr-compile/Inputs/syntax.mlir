func.func @f(%x: f32) {
  xfmr.nothing %x
}
