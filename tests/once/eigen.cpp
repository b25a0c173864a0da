// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "eigen.hpp"

template class Eigen::JacobiSVD<Eigen::MatrixXd>;
