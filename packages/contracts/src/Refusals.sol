// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Why something was refused. The numbers are part of the interface: a single call reverts with
/// `Refused(code)`, a batch tells the same code by an event and goes on. The first three are the states
/// that a withdrawal can be in, see `Bridge.stateOf`.

uint32 constant ALREADY_QUEUED = 1;
uint32 constant ALREADY_PAID = 2;
uint32 constant ALREADY_CANCELLED = 3;
/// @dev Nothing to move, or an address that cannot have money: zero, the bridge, the token.
uint32 constant INVALID_REQUEST = 4;
uint32 constant TOO_FEW_SIGNATURES = 5;
/// @dev No address can be recovered; this is where a malleable `s` ends.
uint32 constant BAD_SIGNATURE = 6;
uint32 constant NOT_A_VALIDATOR = 7;
/// @dev Signatures must ascend strictly by signer, so that none counts twice.
uint32 constant UNSORTED_SIGNATURES = 8;
uint32 constant TRANSFER_FAILED = 9;
uint32 constant NOT_QUEUED = 10;
uint32 constant TOO_EARLY = 11;
uint32 constant PERMIT_EXPIRED = 12;
/// @dev The token did not take the permit, and it is not the one that it took last.
uint32 constant PERMIT_REFUSED = 13;
uint32 constant PERMIT_ALREADY_USED = 14;
uint32 constant WRONG_NONCE = 15;
uint32 constant NOT_THE_GUARDIAN = 16;
/// @dev A set of validators that could not decide, or in which one counts twice.
uint32 constant INVALID_VALIDATORS = 17;
/// @dev The token moved another amount than it was asked to.
uint32 constant WRONG_AMOUNT = 18;
/// @dev With less gas a token's refusal could not be told from running out of gas.
uint32 constant NOT_ENOUGH_GAS = 19;
