// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

/// @title USDC of a test network
/// @notice Test tokens that behave like real USDC as far as a bridge is concerned: six decimals, permits with the
/// same domain (name "USD Coin", version "2"), and a list of addresses that can neither send nor receive.
/// @dev `permit` is implemented here, because OpenZeppelin's ERC20Permit fixes the version at "1".
contract TestUsdc is ERC20, EIP712, Nonces, IERC20Permit {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    /// @notice The account that can mint tokens and maintain the blacklist.
    address public immutable minter;
    /// @notice Addresses that can neither send nor receive.
    mapping(address account => bool) public isBlacklisted;

    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    error NotTheMinter();
    error AddressIsBlacklisted(address account);
    error PermitExpired(uint256 deadline);
    error PermitSignerIsNotOwner(address signer, address owner);

    modifier onlyMinter() {
        if (msg.sender != minter) revert NotTheMinter();
        _;
    }

    constructor(address minter_) ERC20("USD Coin", "USDC") EIP712("USD Coin", "2") {
        minter = minter_;
    }

    /// @notice Returns 6, so that the smallest unit is a micro-USDC.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Returns the version in the domain of permits.
    function version() external pure returns (string memory) {
        return "2";
    }

    /// @notice Mints tokens.
    function mint(address to, uint256 amount) external onlyMinter {
        _mint(to, amount);
    }

    /// @notice Adds an address to the blacklist.
    function blacklist(address account) external onlyMinter {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    /// @notice Removes an address from the blacklist.
    function unBlacklist(address account) external onlyMinter {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    /// @inheritdoc IERC20Permit
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) public virtual {
        if (block.timestamp > deadline) revert PermitExpired(deadline);
        bytes32 structHash = keccak256(
            abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline)
        );
        address signer = ECDSA.recover(_hashTypedDataV4(structHash), v, r, s);
        if (signer != owner) revert PermitSignerIsNotOwner(signer, owner);
        _approve(owner, spender, value);
    }

    /// @inheritdoc IERC20Permit
    function nonces(address owner) public view override(Nonces, IERC20Permit) returns (uint256) {
        return super.nonces(owner);
    }

    /// @inheritdoc IERC20Permit
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function _update(address from, address to, uint256 value) internal virtual override {
        if (isBlacklisted[from]) revert AddressIsBlacklisted(from);
        if (isBlacklisted[to]) revert AddressIsBlacklisted(to);
        super._update(from, to, value);
    }
}
