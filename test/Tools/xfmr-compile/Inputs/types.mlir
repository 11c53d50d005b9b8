func.func @f(%x: f32, %v: vector<4xf32>) { return }
