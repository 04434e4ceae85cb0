// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bellwether {

/// cuBLAS' shared library in the order in which it is to be tried. First the one that lies beside
/// the CUDA backend's own, if any; by its bare name, which the system's loader looks for on
/// LD_LIBRARY_PATH, in the program's own folders and in its cache;
/// then the files that there are, the latest version first: in the toolkit that CUDA_HOME,
/// CUDA_PATH, CUDATOOLKIT_HOME or CUDA_ROOT names, in NVIDIA's HPC SDK that NVHPC_ROOT names, in
/// the environments that CONDA_PREFIX and VIRTUAL_ENV name, and where these are installed by
/// default.
std::vector<std::string> cublas_files();
/// cuSOLVER's, in the same places.
std::vector<std::string> cusolver_files();

namespace detail {

/// The same but for what lies beside, given what a variable holds (null: not set) and the folder
/// that stands for "/".
std::vector<std::string> cublas_files(const std::function<const char*(const char*)>& variable,
                                      const std::string& root);

}  // namespace detail

}  // namespace bellwether
