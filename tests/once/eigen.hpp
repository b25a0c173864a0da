// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_EIGEN_HPP
#define WARPGAUGE_TESTS_ONCE_EIGEN_HPP

#include <Eigen/Core>
#include <Eigen/SVD>

// What `calibrate` solves with. Instantiated in eigen.cpp, and in no other unit.

extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;

#endif
