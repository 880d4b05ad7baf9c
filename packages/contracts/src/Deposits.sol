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

/// @notice A deposit by an EIP-2612 permit of `user` for the bridge over `usd`.
struct DepositWithPermit {
    address user;
    uint64 usd;
    uint64 deadline;
    Signature signature;
}

/// @title Money in
/// @notice Takes USDC from whoever approved it, and tells by `Deposit` whose account it is for.
abstract contract Deposits is Validators, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @dev What a permit may burn. A token that asks a user's own contract about the signature hands it the gas,
    /// and without a bound one permit could use up what the others of its batch need.
    uint256 private constant PERMIT_GAS = 150_000;
    /// @dev What must be left at each deposit of a batch: the permit, the transfer, and what is around them.
    uint256 private constant DEPOSIT_GAS = 400_000;

    /// @notice The token that the bridge holds: USDC, six decimals.
    IERC20 public immutable token;

    /// @notice The first permit nonce of a user that no deposit has used.
    mapping(address user => uint256) public nextPermitNonce;

    /// @notice `usd` millionths of a dollar came in for the account of `user`.
    event Deposit(address indexed user, uint64 usd);
    /// @notice A deposit of a batch moved nothing; `errorCode` is one of `Refusals.sol`.
    event FailedPermitDeposit(address indexed user, uint64 usd, uint32 errorCode);

    constructor(IERC20 token_) {
        if (address(token_).code.length == 0) revert Refused(INVALID_REQUEST);
        token = token_;
    }

    /// @notice Deposits for the sender, who approved the amount before.
    function deposit(uint64 usd) external {
        _deposit(msg.sender, usd);
    }

    /// @notice Deposits the sender's money for the account of `user`.
    function depositFor(address user, uint64 usd) external {
        _deposit(user, usd);
    }

    /// @notice Deposits for users who signed a permit; anyone may send it. One that fails emits
    /// `FailedPermitDeposit` and leaves the others alone.
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

    /// @dev Whether an account of this address can be meant; money of the bridge itself has none.
    function _canOwnMoney(address account) internal view returns (bool) {
        return account != address(0) && account != address(this) && account != address(token);
    }

    function _deposit(address user, uint64 usd) private whenNotPaused nonReentrant {
        if (usd == 0 || !_canOwnMoney(user)) revert Refused(INVALID_REQUEST);
        uint256 held = token.balanceOf(address(this));
        // The token's own error reaches the sender: too little allowance, too little money.
        token.safeTransferFrom(msg.sender, address(this), usd);
        _requireReceived(held, usd);
        emit Deposit(user, usd);
    }

    /// @dev 0 when the money came in, else why not.
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

    /// @dev Hands the permit to the token; tells its nonce. Anyone can hand it over first: then the token refuses it
    /// here, and its allowance is there. But an allowance alone is not consent to a deposit (the user may have
    /// approved the bridge for later), so the signature must be the one that the token took last.
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

    /// @dev What a `Deposit` tells must have arrived, whatever the token does.
    function _requireReceived(uint256 held, uint64 usd) private view {
        if (token.balanceOf(address(this)) != held + usd) revert Refused(WRONG_AMOUNT);
    }
}
