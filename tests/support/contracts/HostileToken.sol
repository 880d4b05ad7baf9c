// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUsdc} from "./TestUsdc.sol";

/// @title A token that does what tokens do at their worst
/// @notice For tests: each mode breaks one thing that a bridge may be tempted to rely on.
contract HostileToken is TestUsdc {
    enum Mode {
        Honest,
        /// Moves nothing and says so.
        ReturnFalse,
        /// Moves the money and returns nothing, like tokens older than the standard.
        ReturnNothing,
        /// Moves nothing and claims that it did.
        Lie,
        /// Keeps a hundredth of what it moves.
        TakeFee,
        /// Takes a hundredth more from the sender than it was asked to.
        TakeMore,
        /// Calls `target` with `callback` before it moves the money.
        Reenter,
        /// Burns all gas of a permit, like a wallet contract that is asked about its signature.
        BurnPermits,
        /// Burns all gas of a transfer.
        BurnTransfers
    }

    Mode public mode;
    address public target;
    bytes public callback;
    /// @notice What came of the callback.
    bool public hasReentered;
    bytes public answer;

    constructor() TestUsdc(msg.sender) {}

    function setMode(Mode newMode) external {
        mode = newMode;
    }

    function setCallback(address newTarget, bytes calldata newCallback) external {
        target = newTarget;
        callback = newCallback;
        mode = Mode.Reenter;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (mode == Mode.ReturnFalse) return false;
        if (mode == Mode.Lie) return true;
        _beforeMove();
        super.transfer(to, value);
        return _finish(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (mode == Mode.ReturnFalse) return false;
        if (mode == Mode.Lie) return true;
        _beforeMove();
        super.transferFrom(from, to, value);
        return _finish(from, to, value);
    }

    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) public override {
        if (mode == Mode.BurnPermits && v == 0) _burnGas();
        super.permit(owner, spender, value, deadline, v, r, s);
    }

    function _beforeMove() private {
        if (mode == Mode.BurnTransfers) _burnGas();
        if (mode != Mode.Reenter) return;
        mode = Mode.Honest;
        (hasReentered, answer) = target.call(callback);
        mode = Mode.Reenter;
    }

    function _finish(address from, address to, uint256 value) private returns (bool) {
        if (mode == Mode.TakeFee) _burn(to, value / 100);
        if (mode == Mode.TakeMore) _burn(from, value / 100);
        if (mode == Mode.ReturnNothing) {
            assembly {
                return(0, 0)
            }
        }
        return true;
    }

    function _burnGas() private pure {
        assembly {
            invalid()
        }
    }
}
