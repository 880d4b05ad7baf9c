// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Signature} from "./Signature.sol";
import "./Refusals.sol";

/// @title The parties that control the bridge
/// @notice A set of validators, of which a threshold must sign, and a guardian that can pause but not pay.
/// Only signatures of the set itself can replace it: there is no owner and no upgrade.
/// @dev Everything signed is EIP-712 data of the domain { name: "OddlotBridge", version: "1", chainId,
/// verifyingContract }, so a signature for one chain or contract is invalid on another.
abstract contract Validators is EIP712, Pausable {
    /// @notice The maximum number of validators, so that verifying all of them fits into a block.
    uint256 public constant VALIDATORS_MAX = 64;

    bytes32 private constant ROTATION_TYPEHASH =
        keccak256("Rotation(address[] validators,uint256 threshold,address guardian,uint64 nonce)");
    bytes32 private constant UNPAUSE_TYPEHASH = keccak256("Unpause(uint64 nonce)");

    /// @notice The number of validators that must sign.
    uint256 public threshold;
    /// @notice Account that can pause, unpause and cancel queued payouts. It cannot pay or replace any party.
    address public guardian;
    /// @notice Nonce of the next rotation, which is the number of rotations so far.
    uint64 public rotationNonce;
    /// @notice Nonce that ends the current pause, which is the number of pauses so far. An unused signature for one
    /// pause cannot end a later one.
    uint64 public pauseNonce;
    /// @notice True for the addresses of the validators.
    mapping(address account => bool) public isValidator;
    address[] private _validators;

    /// @notice The validators, the threshold or the guardian changed. `nonce` is 0 for the first set.
    event Rotated(address[] validators, uint256 threshold, address guardian, uint64 nonce);

    /// @notice The call was rejected; `code` is one of `Refusals.sol`.
    error Refused(uint32 code);

    modifier onlyGuardian() {
        if (msg.sender != guardian) revert Refused(NOT_THE_GUARDIAN);
        _;
    }

    constructor(
        address[] memory validators_,
        uint256 threshold_,
        address guardian_
    ) EIP712("OddlotBridge", "1") {
        _setValidators(validators_, threshold_, guardian_);
        emit Rotated(validators_, threshold_, guardian_, 0);
    }

    /// @notice Returns the validators in the order in which they were set.
    function validators() external view returns (address[] memory) {
        return _validators;
    }

    /// @notice Stops deposits and payouts. Cancellations and rotations remain possible.
    function pause() external onlyGuardian {
        _pause();
        pauseNonce++;
    }

    /// @notice Lets the guardian end a pause.
    function unpause() external onlyGuardian {
        _unpause();
    }

    /// @notice Ends the current pause with signatures of the validators, so that a guardian cannot withhold money.
    /// @param nonce `pauseNonce` of the pause to end.
    function unpauseBySignatures(uint64 nonce, Signature[] calldata signatures) external {
        if (nonce != pauseNonce) revert Refused(WRONG_NONCE);
        _requireSignatures(keccak256(abi.encode(UNPAUSE_TYPEHASH, nonce)), signatures);
        _unpause();
    }

    /// @notice Replaces validators, threshold and guardian with signatures of the current validators. Works during a
    /// pause, so that a guardian cannot prevent its replacement. Queued payouts stay queued.
    function rotate(
        address[] calldata newValidators,
        uint256 newThreshold,
        address newGuardian,
        uint64 nonce,
        Signature[] calldata signatures
    ) external {
        if (nonce != rotationNonce) revert Refused(WRONG_NONCE);
        bytes32 listHash = keccak256(abi.encodePacked(newValidators));
        _requireSignatures(
            keccak256(abi.encode(ROTATION_TYPEHASH, listHash, newThreshold, newGuardian, nonce)),
            signatures
        );
        rotationNonce = nonce + 1;
        _setValidators(newValidators, newThreshold, newGuardian);
        emit Rotated(newValidators, newThreshold, newGuardian, nonce);
    }

    /// @dev Reverts unless a threshold of the current validators signed.
    function _requireSignatures(bytes32 structHash, Signature[] calldata signatures) internal view {
        uint32 code = _checkSignatures(structHash, signatures);
        if (code != 0) revert Refused(code);
    }

    /// @dev Returns 0 if a threshold of the current validators signed, otherwise the refusal code. Every given
    /// signature must be valid, including those beyond the threshold.
    function _checkSignatures(
        bytes32 structHash,
        Signature[] calldata signatures
    ) internal view returns (uint32) {
        if (signatures.length < threshold) return TOO_FEW_SIGNATURES;
        bytes32 digest = _hashTypedDataV4(structHash);
        address last = address(0);
        for (uint256 i = 0; i < signatures.length; i++) {
            address signer = _recover(digest, signatures[i]);
            if (signer == address(0)) return BAD_SIGNATURE;
            if (!isValidator[signer]) return NOT_A_VALIDATOR;
            if (signer <= last) return UNSORTED_SIGNATURES;
            last = signer;
        }
        return 0;
    }

    /// @dev Returns the signer, or the zero address for an invalid signature.
    function _recover(bytes32 digest, Signature calldata signature) internal pure returns (address) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(
            digest,
            signature.v,
            bytes32(signature.r),
            bytes32(signature.s)
        );
        return problem == ECDSA.RecoverError.NoError ? signer : address(0);
    }

    function _setValidators(
        address[] memory newValidators,
        uint256 newThreshold,
        address newGuardian
    ) private {
        if (
            newThreshold == 0 ||
            newThreshold > newValidators.length ||
            newValidators.length > VALIDATORS_MAX ||
            newGuardian == address(0)
        ) revert Refused(INVALID_VALIDATORS);
        for (uint256 i = 0; i < _validators.length; i++) isValidator[_validators[i]] = false;
        for (uint256 i = 0; i < newValidators.length; i++) {
            address validator = newValidators[i];
            if (validator == address(0) || isValidator[validator]) revert Refused(INVALID_VALIDATORS);
            isValidator[validator] = true;
        }
        _validators = newValidators;
        threshold = newThreshold;
        guardian = newGuardian;
    }
}
