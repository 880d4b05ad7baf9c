// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A secp256k1 signature in parts. `v` must be 27 or 28, and `s` must be the lower of its two values.
struct Signature {
    uint256 r;
    uint256 s;
    uint8 v;
}
