// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Deposits} from "./Deposits.sol";
import {Signature} from "./Signature.sol";
import {Validators} from "./Validators.sol";
import "./Refusals.sol";

/// @notice A withdrawal from the venue, which pays `usd` micro-USDC of `user` to `destination`.
struct Payout {
    uint64 withdrawalId;
    address user;
    address destination;
    uint64 usd;
}

/// @title The bridge of an Oddlot venue
/// @notice Holds the USDC that the venue owes to its users. Money leaves only by payouts that a threshold of
/// validators has signed; each withdrawal is paid at most once, and never after its cancellation.
contract Bridge is Deposits {
    using SafeERC20 for IERC20;

    uint8 private constant NONE = 0;
    uint8 private constant QUEUED = uint8(ALREADY_QUEUED);
    uint8 private constant PAID = uint8(ALREADY_PAID);
    uint8 private constant CANCELLED = uint8(ALREADY_CANCELLED);

    bytes32 private constant PAYOUT_TYPEHASH =
        keccak256("Payout(uint64 withdrawalId,address user,address destination,uint64 usd)");
    bytes32 private constant CANCELLATION_TYPEHASH = keccak256("Cancellation(uint64 withdrawalId)");

    /// @dev Gas reserved for a transfer of the token. The sender of a batch chooses its gas. Without the reserve, too
    /// little gas could make a valid payout look as if the token had rejected it, and gas estimates would prefer that
    /// result because it is the cheapest.
    uint256 private constant TRANSFER_GAS = 120_000;

    /// @notice Maximum delay. A longer one is rejected, because it could never be shortened and milliseconds are easily
    /// confused with seconds.
    uint64 public constant DELAY_SECONDS_MAX = 30 days;

    /// @notice Payouts of at least this many micro-USDC are queued.
    uint64 public immutable largeUsd;
    /// @notice Delay of queued payouts, in seconds.
    uint64 public immutable delaySeconds;

    /// @dev A queued payout. It is kept after it is paid or cancelled; `stateOf` returns its state.
    struct Waiting {
        address user;
        uint64 usd;
        address destination;
        uint64 payableAt;
    }

    /// @notice State of a withdrawal: 0 none, 1 queued, 2 paid, 3 cancelled.
    mapping(uint64 withdrawalId => uint8) public stateOf;
    /// @notice Queued payouts with user, usd, destination, and the time in seconds at which each becomes payable.
    mapping(uint64 withdrawalId => Waiting) public queued;

    /// @notice A withdrawal was paid.
    event Paid(uint64 indexed withdrawalId, address indexed user, address destination, uint64 usd);
    /// @notice A large payout was queued until `payableAt`, in seconds.
    event Queued(
        uint64 indexed withdrawalId,
        address indexed user,
        address destination,
        uint64 usd,
        uint64 payableAt
    );
    /// @notice A withdrawal was cancelled and will never be paid.
    event Cancelled(uint64 indexed withdrawalId);
    /// @notice A payout of a batch failed without effect; `code` is one of `Refusals.sol`.
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

    /// @notice Returns true if a withdrawal has been paid.
    function paid(uint64 withdrawalId) external view returns (bool) {
        return stateOf[withdrawalId] == PAID;
    }

    /// @notice Pays a withdrawal that the validators signed, or queues a large one. Any account may send it.
    function payOut(
        Payout calldata payout,
        Signature[] calldata signatures
    ) external whenNotPaused nonReentrant {
        uint32 code = _payOut(payout, signatures);
        if (code != 0) revert Refused(code);
    }

    /// @notice Pays or queues several signed withdrawals. A failed one emits `PayoutFailed` and does not affect the
    /// others.
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

    /// @notice Pays a queued withdrawal that is due. Any account may send it.
    function finish(uint64 withdrawalId) external whenNotPaused nonReentrant {
        if (stateOf[withdrawalId] != QUEUED) revert Refused(NOT_QUEUED);
        Waiting memory waiting = queued[withdrawalId];
        if (block.timestamp < waiting.payableAt) revert Refused(TOO_EARLY);
        uint32 code = _pay(Payout(withdrawalId, waiting.user, waiting.destination, waiting.usd));
        if (code != 0) revert Refused(code);
    }

    /// @notice Cancels an unpaid withdrawal with signatures of the validators, so that it can never be paid. The venue
    /// returns the money to the account only afterwards. Works during a pause.
    function cancel(uint64 withdrawalId, Signature[] calldata signatures) external nonReentrant {
        uint8 state = stateOf[withdrawalId];
        if (state == PAID || state == CANCELLED) revert Refused(state);
        _requireSignatures(keccak256(abi.encode(CANCELLATION_TYPEHASH, withdrawalId)), signatures);
        _cancel(withdrawalId);
    }

    /// @notice Lets the guardian cancel a queued withdrawal. Works during a pause.
    function cancelQueued(uint64 withdrawalId) external onlyGuardian nonReentrant {
        if (stateOf[withdrawalId] != QUEUED) revert Refused(NOT_QUEUED);
        _cancel(withdrawalId);
    }

    function _cancel(uint64 withdrawalId) private {
        stateOf[withdrawalId] = CANCELLED;
        emit Cancelled(withdrawalId);
    }

    /// @dev Returns 0 if the withdrawal was paid or queued. Otherwise it returns the refusal code and changes nothing.
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

    /// @dev Marks the withdrawal as paid before it transfers the money; a failed transfer reverts the mark. Reentrancy
    /// is impossible in between, because every function that reads the mark is guarded.
    function _pay(Payout memory payout) private returns (uint32) {
        uint8 state = stateOf[payout.withdrawalId];
        stateOf[payout.withdrawalId] = PAID;
        if (gasleft() < TRANSFER_GAS) revert Refused(NOT_ENOUGH_GAS);
        uint256 held = token.balanceOf(address(this));
        if (!token.trySafeTransfer(payout.destination, payout.usd)) {
            stateOf[payout.withdrawalId] = state;
            return TRANSFER_FAILED;
        }
        // A token that takes more than the amount would take it from other users.
        if (token.balanceOf(address(this)) != held - payout.usd) revert Refused(WRONG_AMOUNT);
        emit Paid(payout.withdrawalId, payout.user, payout.destination, payout.usd);
        return 0;
    }
}
