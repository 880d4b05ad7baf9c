// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A secp256k1 signature in parts. Only `v` 27 or 28 and the lower `s` are accepted.
struct Signature {
    uint256 r;
    uint256 s;
    uint8 v;
}
