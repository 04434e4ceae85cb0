// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/cuda/cuda_check.cuh"

namespace bellwether::cuda {

/// Kernels and copies that are recorded once, one after another, and put on a stream together.
class Graph {
 public:
  /// What `launch` puts on the stream is not done now. Their arguments stay as they are.
  template <class Launch>
  Graph(Stream& stream, const Launch& launch) {
    cudaGraph_t recorded = nullptr;
    check(cudaStreamBeginCapture(queue_of(stream), cudaStreamCaptureModeRelaxed),
          "cudaStreamBeginCapture");
    launch();
    check(cudaStreamEndCapture(queue_of(stream), &recorded), "cudaStreamEndCapture");
    const cudaError_t status = cudaGraphInstantiateWithFlags(&executable_, recorded, 0);
    note(cudaGraphDestroy(recorded), "cudaGraphDestroy");
    check(status, "cudaGraphInstantiateWithFlags");
  }
  ~Graph() { note(cudaGraphExecDestroy(executable_), "cudaGraphExecDestroy"); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// `name`, a literal, stands for all of its kernels where one fails.
  void launch(const char* name, Stream& stream) const {
    check_launch(cudaGraphLaunch(executable_, queue_of(stream)), name);
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace bellwether::cuda
