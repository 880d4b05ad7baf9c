// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Signature} from "./Signature.sol";
import {Validators} from "./Validators.sol";
import "./Refusals.sol";

/// @notice A deposit of `usd` micro-USDC through an EIP-2612 permit that `user` signed for the bridge.
struct DepositWithPermit {
    address user;
    uint64 usd;
    uint64 deadline;
    Signature signature;
}

/// @title Deposits
/// @notice Takes approved USDC, and emits `Deposit` with the credited account.
abstract contract Deposits is Validators, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @dev Gas limit of a permit. A token that verifies a signature through the user's own contract passes its gas to
    /// that contract, so without a limit one permit could use up the gas of the others in its batch.
    uint256 private constant PERMIT_GAS = 150_000;
    /// @dev Gas reserved for each deposit of a batch: the permit, the transfer, and the overhead.
    uint256 private constant DEPOSIT_GAS = 400_000;

    /// @notice The token that the bridge holds, which is USDC with six decimals.
    IERC20 public immutable token;

    /// @notice The first permit nonce of a user that no deposit has used.
    mapping(address user => uint256) public nextPermitNonce;

    /// @notice `usd` micro-USDC were deposited for the account of `user`.
    event Deposit(address indexed user, uint64 usd);
    /// @notice A deposit of a batch failed without effect; `errorCode` is one of `Refusals.sol`.
    event FailedPermitDeposit(address indexed user, uint64 usd, uint32 errorCode);

    constructor(IERC20 token_) {
        if (address(token_).code.length == 0) revert Refused(INVALID_REQUEST);
        token = token_;
    }

    /// @notice Deposits for the sender, who must have approved the amount.
    function deposit(uint64 usd) external {
        _deposit(msg.sender, usd);
    }

    /// @notice Deposits the sender's money for the account of `user`.
    function depositFor(address user, uint64 usd) external {
        _deposit(user, usd);
    }

    /// @notice Deposits money of users who signed a permit; any account may send the batch. A failed deposit emits
    /// `FailedPermitDeposit` and does not affect the others.
    function batchedDepositWithPermit(
        DepositWithPermit[] calldata deposits
    ) external whenNotPaused nonReentrant {
        for (uint256 i = 0; i < deposits.length; i++) {
            if (gasleft() < DEPOSIT_GAS) revert Refused(NOT_ENOUGH_GAS);
            uint32 code = _depositWithPermit(deposits[i]);
            if (code == 0) emit Deposit(deposits[i].user, deposits[i].usd);
            else emit FailedPermitDeposit(deposits[i].user, deposits[i].usd, code);
        }
    }

    /// @dev Returns true if the address can have an account; the bridge itself has none.
    function _canOwnMoney(address account) internal view returns (bool) {
        return account != address(0) && account != address(this) && account != address(token);
    }

    function _deposit(address user, uint64 usd) private whenNotPaused nonReentrant {
        if (usd == 0 || !_canOwnMoney(user)) revert Refused(INVALID_REQUEST);
        uint256 held = token.balanceOf(address(this));
        // The sender gets the token's own error, such as an insufficient allowance or balance.
        token.safeTransferFrom(msg.sender, address(this), usd);
        _requireReceived(held, usd);
        emit Deposit(user, usd);
    }

    /// @dev Returns 0 if the money was received, otherwise the refusal code.
    function _depositWithPermit(DepositWithPermit calldata item) private returns (uint32) {
        address user = item.user;
        if (item.usd == 0 || !_canOwnMoney(user)) return INVALID_REQUEST;
        if (block.timestamp > item.deadline) return PERMIT_EXPIRED;
        (bool isPermitted, uint256 nonce) = _permit(item);
        if (!isPermitted) return PERMIT_REFUSED;
        if (nonce < nextPermitNonce[user]) return PERMIT_ALREADY_USED;
        uint256 held = token.balanceOf(address(this));
        if (!token.trySafeTransferFrom(user, address(this), item.usd)) return TRANSFER_FAILED;
        _requireReceived(held, item.usd);
        nextPermitNonce[user] = nonce + 1;
        return 0;
    }

    /// @dev Submits the permit to the token; returns its nonce. If another account has submitted it first, the token
    /// rejects it here, but the allowance exists. An allowance alone is not consent to a deposit (the user may have
    /// approved the bridge for later), so the signature must be the one that the token accepted last.
    function _permit(DepositWithPermit calldata item) private returns (bool isPermitted, uint256 nonce) {
        IERC20Permit permitToken = IERC20Permit(address(token));
        nonce = permitToken.nonces(item.user);
        Signature calldata signature = item.signature;
        try
            permitToken.permit{gas: PERMIT_GAS}(
                item.user,
                address(this),
                item.usd,
                item.deadline,
                signature.v,
                bytes32(signature.r),
                bytes32(signature.s)
            )
        {
            return (true, nonce);
        } catch {
            if (nonce == 0) return (false, 0);
            nonce--;
            bytes32 structHash = keccak256(
                abi.encode(PERMIT_TYPEHASH, item.user, address(this), item.usd, nonce, item.deadline)
            );
            bytes32 digest = MessageHashUtils.toTypedDataHash(permitToken.DOMAIN_SEPARATOR(), structHash);
            return (_recover(digest, signature) == item.user, nonce);
        }
    }

    /// @dev Reverts unless the amount in a `Deposit` was received, whatever the token does.
    function _requireReceived(uint256 held, uint64 usd) private view {
        if (token.balanceOf(address(this)) != held + usd) revert Refused(WRONG_AMOUNT);
    }
}
