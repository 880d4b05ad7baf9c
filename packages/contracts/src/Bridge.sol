// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Deposits} from "./Deposits.sol";
import {Signature} from "./Signature.sol";
import {Validators} from "./Validators.sol";
import "./Refusals.sol";

/// @notice A withdrawal of the venue: `usd` millionths of a dollar of `user` go to `destination`.
struct Payout {
    uint64 withdrawalId;
    address user;
    address destination;
    uint64 usd;
}

/// @title The bridge of an Oddlot venue
/// @notice Holds the USDC that the venue owes to its users. Money leaves by a payout that a threshold of validators
/// signed and by nothing else; each withdrawal is paid at most once, and never after it was cancelled.
contract Bridge is Deposits {
    using SafeERC20 for IERC20;

    uint8 private constant NONE = 0;
    uint8 private constant QUEUED = uint8(ALREADY_QUEUED);
    uint8 private constant PAID = uint8(ALREADY_PAID);
    uint8 private constant CANCELLED = uint8(ALREADY_CANCELLED);

    bytes32 private constant PAYOUT_TYPEHASH =
        keccak256("Payout(uint64 withdrawalId,address user,address destination,uint64 usd)");
    bytes32 private constant CANCELLATION_TYPEHASH = keccak256("Cancellation(uint64 withdrawalId)");

    /// @dev What must be left for a transfer of the token. Whoever sends a batch sets its gas; this keeps it from
    /// making a good payout look as if the token had refused it, and estimates of gas from finding that cheapest.
    uint256 private constant TRANSFER_GAS = 120_000;

    /// @notice A longer delay is refused: nobody could ever shorten it, and milliseconds are easily taken for seconds.
    uint64 public constant DELAY_SECONDS_MAX = 30 days;

    /// @notice Payouts of at least this many millionths of a dollar wait.
    uint64 public immutable largeUsd;
    /// @notice How long they wait, in seconds.
    uint64 public immutable delaySeconds;

    /// @dev What waits for its time; kept afterwards, `stateOf` tells what became of it.
    struct Waiting {
        address user;
        uint64 usd;
        address destination;
        uint64 payableAt;
    }

    /// @notice 0 none, 1 queued, 2 paid, 3 cancelled.
    mapping(uint64 withdrawalId => uint8) public stateOf;
    /// @notice The large payouts: user, usd, destination, and the second from which on they can be finished.
    mapping(uint64 withdrawalId => Waiting) public queued;

    /// @notice The money has left.
    event Paid(uint64 indexed withdrawalId, address indexed user, address destination, uint64 usd);
    /// @notice A large payout waits until `payableAt`, in seconds.
    event Queued(
        uint64 indexed withdrawalId,
        address indexed user,
        address destination,
        uint64 usd,
        uint64 payableAt
    );
    /// @notice This withdrawal will never be paid.
    event Cancelled(uint64 indexed withdrawalId);
    /// @notice A payout of a batch changed nothing; `code` is one of `Refusals.sol`.
    event PayoutFailed(uint64 indexed withdrawalId, uint32 code);

    constructor(
        IERC20 token_,
        address[] memory validators_,
        uint256 threshold_,
        address guardian_,
        uint64 largeUsd_,
        uint64 delaySeconds_
    ) Validators(validators_, threshold_, guardian_) Deposits(token_) {
        if (delaySeconds_ > DELAY_SECONDS_MAX) revert Refused(INVALID_REQUEST);
        largeUsd = largeUsd_;
        delaySeconds = delaySeconds_;
    }

    /// @notice Whether a withdrawal has been paid.
    function paid(uint64 withdrawalId) external view returns (bool) {
        return stateOf[withdrawalId] == PAID;
    }

    /// @notice Pays a withdrawal that the validators signed, or queues it when it is large. Anyone may send it.
    function payOut(
        Payout calldata payout,
        Signature[] calldata signatures
    ) external whenNotPaused nonReentrant {
        uint32 code = _payOut(payout, signatures);
        if (code != 0) revert Refused(code);
    }

    /// @notice The same for several. One that fails emits `PayoutFailed` and leaves the others alone.
    function batchPayOut(
        Payout[] calldata payouts,
        Signature[][] calldata signatures
    ) external whenNotPaused nonReentrant {
        if (payouts.length != signatures.length) revert Refused(INVALID_REQUEST);
        for (uint256 i = 0; i < payouts.length; i++) {
            uint32 code = _payOut(payouts[i], signatures[i]);
            if (code != 0) emit PayoutFailed(payouts[i].withdrawalId, code);
        }
    }

    /// @notice Pays a queued withdrawal whose time has come. Anyone may send it.
    function finish(uint64 withdrawalId) external whenNotPaused nonReentrant {
        if (stateOf[withdrawalId] != QUEUED) revert Refused(NOT_QUEUED);
        Waiting memory waiting = queued[withdrawalId];
        if (block.timestamp < waiting.payableAt) revert Refused(TOO_EARLY);
        uint32 code = _pay(Payout(withdrawalId, waiting.user, waiting.destination, waiting.usd));
        if (code != 0) revert Refused(code);
    }

    /// @notice Ends a withdrawal that is not paid, by the validators: it can never be paid again. The venue gives
    /// the money back to the account only after this. Works in a pause.
    function cancel(uint64 withdrawalId, Signature[] calldata signatures) external nonReentrant {
        uint8 state = stateOf[withdrawalId];
        if (state == PAID || state == CANCELLED) revert Refused(state);
        _requireSignatures(keccak256(abi.encode(CANCELLATION_TYPEHASH, withdrawalId)), signatures);
        _cancel(withdrawalId);
    }

    /// @notice Ends a withdrawal that waits, by the guardian. Works in a pause.
    function cancelQueued(uint64 withdrawalId) external onlyGuardian nonReentrant {
        if (stateOf[withdrawalId] != QUEUED) revert Refused(NOT_QUEUED);
        _cancel(withdrawalId);
    }

    function _cancel(uint64 withdrawalId) private {
        stateOf[withdrawalId] = CANCELLED;
        emit Cancelled(withdrawalId);
    }

    /// @dev 0 when it was paid or queued, else why not; then nothing has changed.
    function _payOut(Payout calldata payout, Signature[] calldata signatures) private returns (uint32) {
        uint64 withdrawalId = payout.withdrawalId;
        uint8 state = stateOf[withdrawalId];
        if (state != NONE) return state;
        if (payout.usd == 0 || !_canOwnMoney(payout.user) || !_canOwnMoney(payout.destination)) {
            return INVALID_REQUEST;
        }
        bytes32 structHash = keccak256(
            abi.encode(PAYOUT_TYPEHASH, withdrawalId, payout.user, payout.destination, payout.usd)
        );
        uint32 code = _checkSignatures(structHash, signatures);
        if (code != 0) return code;
        if (payout.usd < largeUsd) return _pay(payout);
        uint64 payableAt = uint64(block.timestamp) + delaySeconds;
        stateOf[withdrawalId] = QUEUED;
        queued[withdrawalId] = Waiting(payout.user, payout.usd, payout.destination, payableAt);
        emit Queued(withdrawalId, payout.user, payout.destination, payout.usd, payableAt);
        return 0;
    }

    /// @dev Marks it paid, then moves the money; a transfer that fails takes the mark back. In between nobody can
    /// enter: every function that looks at the mark is guarded.
    function _pay(Payout memory payout) private returns (uint32) {
        uint8 state = stateOf[payout.withdrawalId];
        stateOf[payout.withdrawalId] = PAID;
        if (gasleft() < TRANSFER_GAS) revert Refused(NOT_ENOUGH_GAS);
        uint256 held = token.balanceOf(address(this));
        if (!token.trySafeTransfer(payout.destination, payout.usd)) {
            stateOf[payout.withdrawalId] = state;
            return TRANSFER_FAILED;
        }
        // A token that takes more than it was asked to would take it from the others.
        if (token.balanceOf(address(this)) != held - payout.usd) revert Refused(WRONG_AMOUNT);
        emit Paid(payout.withdrawalId, payout.user, payout.destination, payout.usd);
        return 0;
    }
}
