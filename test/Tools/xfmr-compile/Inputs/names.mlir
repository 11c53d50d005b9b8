func.func @block.1(%x: f32) { return }
