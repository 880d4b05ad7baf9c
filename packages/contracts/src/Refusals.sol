// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Refusal codes. The numbers are part of the interface: a single call reverts with `Refused(code)`,
/// a batch emits an event with the same code and continues. The first three are the states of a
/// withdrawal, see `Bridge.stateOf`.

uint32 constant ALREADY_QUEUED = 1;
uint32 constant ALREADY_PAID = 2;
uint32 constant ALREADY_CANCELLED = 3;
/// @dev A zero amount, or an address that cannot receive money: zero, the bridge, the token.
uint32 constant INVALID_REQUEST = 4;
uint32 constant TOO_FEW_SIGNATURES = 5;
/// @dev No address can be recovered, or the signature has a malleable `s`.
uint32 constant BAD_SIGNATURE = 6;
uint32 constant NOT_A_VALIDATOR = 7;
/// @dev Signatures must be in strictly ascending order of signers, so that none counts twice.
uint32 constant UNSORTED_SIGNATURES = 8;
uint32 constant TRANSFER_FAILED = 9;
uint32 constant NOT_QUEUED = 10;
uint32 constant TOO_EARLY = 11;
uint32 constant PERMIT_EXPIRED = 12;
/// @dev The token rejected the permit, which is not the one that it accepted last.
uint32 constant PERMIT_REFUSED = 13;
uint32 constant PERMIT_ALREADY_USED = 14;
uint32 constant WRONG_NONCE = 15;
uint32 constant NOT_THE_GUARDIAN = 16;
/// @dev A set of validators that cannot reach its threshold, or with a duplicate.
uint32 constant INVALID_VALIDATORS = 17;
/// @dev The token transferred a different amount.
uint32 constant WRONG_AMOUNT = 18;
/// @dev With less gas, running out of gas would look like a rejection by the token.
uint32 constant NOT_ENOUGH_GAS = 19;
