"""A client for a venue: queries, signed actions and their receipts."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, Sequence

from .errors import ApiError, NoAnswerError
from .orders import AccountType, Amount, MarginMode, Order, decimal_text
from .queries import Queries
from .signing import TESTNET, Network, SignedAction, Signer, sign_action
from .transport import Transport, error_of

Action = Mapping[str, Any]

#: Actions that trade at current prices and therefore expire by default.
_TRADING = frozenset({"order", "modify2", "outcomeOperate", "reversePosition"})


@dataclass(frozen=True)
class Reply:
    """The result of an action."""

    status: Literal["executed", "accepted", "queued", "pending"]
    #: Identifies the request; `client.info.action_status(tx_hash=…)` returns its receipt.
    tx_hash: str
    nonce: int
    #: The block that executed the action.
    height: int | None = None
    #: One result per order or cancel, in the same order as in the request.
    orders: Sequence[Mapping[str, Any]] = ()
    #: The error of the first entry that failed. Other entries do not depend on it.
    failure: Mapping[str, Any] | None = None
    #: The ids of a new listing.
    created: Mapping[str, Any] | None = None
    trace_id: str | None = None
    warnings: Sequence[Mapping[str, Any]] = field(default=())


class Nonces:
    """Returns the current time in milliseconds, or the last nonce plus one if that is higher."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1_000_000)
            return self._last


class Client:
    """Queries a venue and sends signed actions to it. It is safe to use from several threads."""

    def __init__(
        self,
        url: str,
        signer: Signer | None = None,
        *,
        network: Network = TESTNET,
        vault: str | None = None,
        order_life_seconds: float = 5.0,
        timeout: float = 15.0,
        retry_seconds: float = 30.0,
    ) -> None:
        """
        `order_life_seconds` is the time within which an order must reach the venue. `retry_seconds` limits how long
        unanswered requests are resent; an action that is resent executes only once.
        """
        self._transport = Transport(url, timeout=timeout, retry_seconds=retry_seconds)
        self._signer = signer
        self._network = network
        self._vault = vault
        self._order_life_ms = round(order_life_seconds * 1000)
        self._nonces = Nonces()
        #: The venue's queries.
        self.info = Queries(self.query)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        return self._required_signer().address.lower()

    def _required_signer(self) -> Signer:
        if self._signer is None:
            raise ValueError("This client has no signer")
        return self._signer

    def query(self, kind: str, **parameters: Any) -> Any:
        """Returns the `data` of a query's response. Parameters that are None are omitted."""
        return self.query_page(kind, **parameters)["data"]

    def query_page(self, kind: str, **parameters: Any) -> Mapping[str, Any]:
        """Returns the complete response to a query, with `nextCursor`, `asOf` and `warnings`."""
        given = {key: value for key, value in parameters.items() if value is not None}
        return self._transport.query("/info", {"type": kind, **given})

    def faucet(self, user: str | None = None, account_type: AccountType = "perp") -> Any:
        """Requests test funds, which open the account."""
        body = {"user": user or self.address, "accountType": account_type}
        return self._transport.query("/request-fund", body)["data"]

    # Sending

    def send(
        self,
        action: Action,
        *,
        confirm: bool = True,
        expires_after: int | None = None,
        signature_chain_id: int | None = None,
    ) -> Reply:
        """
        Signs an action and sends it until the venue answers. With `confirm`, the reply includes the execution result.
        Orders expire after `order_life_seconds` unless `expires_after` is given.
        """
        signed = self.sign(
            action, expires_after=expires_after, signature_chain_id=signature_chain_id
        )

        def sign_again() -> SignedAction:
            return self.sign(
                action, expires_after=expires_after, signature_chain_id=signature_chain_id
            )

        return self._deliver(signed, confirm, sign_again)

    def sign(
        self,
        action: Action,
        *,
        expires_after: int | None = None,
        signature_chain_id: int | None = None,
    ) -> SignedAction:
        """Signs an action without sending it."""
        nonce = self._nonces.next()
        is_account_action = "serviceNetwork" in action
        body = {**action, "nonce": nonce} if is_account_action else dict(action)
        if expires_after is None and action["type"] in _TRADING:
            expires_after = time.time_ns() // 1_000_000 + self._order_life_ms
        is_user_action = action["type"] not in ("outcomeDeploy", "venueAdmin")
        return sign_action(
            self._required_signer(),
            body,
            nonce,
            network=self._network,
            vault=self._vault if is_user_action and not is_account_action else None,
            expires_after=expires_after,
            signature_chain_id=signature_chain_id,
        )

    def send_signed(self, signed: SignedAction, *, confirm: bool = True) -> Reply:
        """Sends a signed action, always with the same bytes."""
        return self._deliver(signed, confirm, None)

    def _deliver(self, signed: SignedAction, confirm: bool, sign_again: Any) -> Reply:
        extra = {"confirm": "executed"} if confirm else {}
        current = [signed]
        attempts = [0]

        def next_body(may_have_executed: bool) -> Mapping[str, Any]:
            # After a rate limit, the action is signed again with a new nonce and expiry. After a lost response, that could
            # execute it twice.
            if attempts[0] > 0 and not may_have_executed and sign_again is not None:
                current[0] = sign_again()
            attempts[0] += 1
            return {**current[0].body, **extra}

        status, answer = self._transport.post(
            "/exchange", next_body, tx_hash=lambda: current[0].tx_hash
        )
        return _reply_of(status, answer, current[0])

    def wait_for_action(self, tx_hash: str, timeout: float = 60.0) -> Mapping[str, Any]:
        """Returns the receipt of an action once it has executed, or once it is certain that the venue never got it."""
        deadline = time.monotonic() + timeout
        while True:
            receipt = self.info.action_status(tx_hash=tx_hash)
            if receipt["status"] in ("executed", "failed", "unknown"):
                return receipt
            if time.monotonic() > deadline:
                raise NoAnswerError(f"The action is {receipt['status']}", tx_hash=tx_hash)
            time.sleep(0.2)

    # Orders

    def order(self, *orders: Order, grouping: str = "na", builder: tuple[str, int] | None = None, **options: Any) -> Reply:
        """Places 1 to 50 orders. `builder` is a builder's address and its fee in tenths of a basis point."""
        action: dict[str, Any] = {
            "type": "order",
            "grouping": grouping,
            "orders": [order.to_wire() for order in orders],
        }
        if builder is not None:
            action["builder"] = {"b": builder[0], "f": builder[1]}
        return self.send(action, **options)

    def cancel(self, *entries: tuple[int, int], **options: Any) -> Reply:
        """Cancels orders by instrument id and order id."""
        cancels = [{"a": asset, "o": oid} for asset, oid in entries]
        return self.send({"type": "cancel", "cancels": cancels}, **options)

    def cancel_by_cloid(self, *entries: tuple[int, str], **options: Any) -> Reply:
        """Cancels orders by instrument id and client order id."""
        cancels = [{"asset": asset, "cloid": cloid} for asset, cloid in entries]
        return self.send({"type": "cancelByCloid", "cancels": cancels}, **options)

    def cancel_all(
        self, asset: int | None = None, account_type: AccountType | None = None, **options: Any
    ) -> Reply:
        """Cancels all orders, or only those in an instrument or a sub-account."""
        return self._send("cancelAll", options, asset=asset, accountType=account_type)

    def schedule_cancel(self, time_ms: int | None = None, **options: Any) -> Reply:
        """Schedules the cancellation of all orders, or removes the schedule."""
        return self._send("scheduleCancel", options, time=time_ms)

    def modify(
        self, asset: int, price: Amount, size: Amount, *, oid: int | None = None, cloid: str | None = None, **options: Any
    ) -> Reply:
        """Amends the price and the total size of a resting order."""
        return self._send(
            "modify2", options, a=asset, o=oid, c=cloid, p=decimal_text(price), s=decimal_text(size)
        )

    def reverse_position(self, asset: int, is_buy: bool | None = None, **options: Any) -> Reply:
        """Closes a position and opens the same size on the other side."""
        return self._send("reversePosition", options, asset=asset, isBuy=is_buy)

    # Settings

    def update_leverage(
        self, asset: int, leverage: int, margin_mode: MarginMode | None = None, **options: Any
    ) -> Reply:
        """Sets the leverage of an instrument; the sign selects the side in hedge isolated mode."""
        return self._send(
            "updateLeverage", options, asset=asset, leverage=leverage, marginMode=margin_mode
        )

    def update_margin_mode(self, asset: int, is_cross: bool, **options: Any) -> Reply:
        """Switches an instrument between cross and isolated margin."""
        return self._send("updateMarginMode", options, asset=asset, isCross=is_cross)

    def update_isolated_margin(
        self, asset: int, is_buy: bool, micro_usdc: int, **options: Any
    ) -> Reply:
        """Adds margin to an isolated position, or removes it if the amount is negative."""
        return self._send(
            "updateIsolatedMargin", options, asset=asset, isBuy=is_buy, ntli=micro_usdc
        )

    def update_position_mode(self, mode: Literal["oneWay", "hedge"], **options: Any) -> Reply:
        """Switches the account between one-way and hedge mode."""
        return self._send("updatePositionMode", options, positionMode=mode)

    # Outcome markets

    def split(self, *entries: tuple[int, Amount], **options: Any) -> Reply:
        """Splits USDC into pairs of YES and NO shares, by instrument id and size."""
        return self.send({"type": "outcomeOperate", "split": _operations(entries)}, **options)

    def merge(self, *entries: tuple[int, Amount], **options: Any) -> Reply:
        """Merges pairs of YES and NO shares back into USDC, by instrument id and size."""
        return self.send({"type": "outcomeOperate", "merge": _operations(entries)}, **options)

    # Money

    def token_send(
        self,
        destination: str,
        amount: Amount,
        from_account_type: AccountType = "perp",
        to_account_type: AccountType = "perp",
        **options: Any,
    ) -> Reply:
        """Sends USDC to another account, or between your sub-accounts."""
        return self._send_account(
            "tokenSend",
            options,
            destination=destination,
            token=0,
            amount=decimal_text(amount),
            fromAccountType=from_account_type,
            toAccountType=to_account_type,
        )

    def withdraw(self, destination: str, amount: Amount, **options: Any) -> Reply:
        """Withdraws USDC to the settlement chain."""
        return self._send_account(
            "withdraw3", options, destination=destination, amount=decimal_text(amount)
        )

    def claim_builder_rewards(self, **options: Any) -> Reply:
        """Transfers all unclaimed builder fees to the perp balance."""
        return self._send("claimBuilderRewards", options)

    # Keys

    def approve_agent(self, agent: str, name: str | None = None, **options: Any) -> Reply:
        """Approves an agent under a label. The zero address revokes the label."""
        return self._send_account("approveAgent", options, agentAddress=agent, agentName=name)

    def approve_builder_fee(self, builder: str, max_fee_rate: str, **options: Any) -> Reply:
        """Approves a builder up to a fee rate such as `0.01%`."""
        return self._send_account(
            "approveBuilderFee", options, builder=builder, maxFeeRate=max_fee_rate
        )

    def revoke_builder_fee(self, builder: str, **options: Any) -> Reply:
        """Revokes the approval of a builder."""
        return self._send_account("revokeBuilderFee", options, builder=builder)

    def convert_to_multi_sig_user(
        self, signers: Sequence[str] | None, threshold: int = 1, **options: Any
    ) -> Reply:
        """Sets the signers of the account. None makes it an ordinary account again."""
        text = "null" if signers is None else _signer_set(signers, threshold)
        return self._send_account("convertToMultiSigUser", options, signers=text)

    def multi_sig(
        self, multi_sig_user: str, action: Action, signatures: Sequence[Any], nonce: int, **options: Any
    ) -> Reply:
        """Sends a multi-sig account's action with signatures made by `sign_inner_action`."""
        wrapper = {
            "type": "multiSig",
            "signatures": [each.to_wire() for each in signatures],
            "payload": {
                "multiSigUser": multi_sig_user.lower(),
                "outerSigner": self.address,
                "action": action,
            },
        }
        confirm = options.pop("confirm", True)
        signed = sign_action(
            self._required_signer(), wrapper, nonce, network=self._network, **options
        )
        return self._deliver(signed, confirm, None)

    # Operators

    def outcome_deploy(self, **variant: Any) -> Reply:
        """Sends one variant of `outcomeDeploy`, such as `resolve={…}`."""
        return self.send({"type": "outcomeDeploy", **variant})

    def venue_admin(self, **variant: Any) -> Reply:
        """Sends one variant of `venueAdmin`, such as `pushOracle={…}`."""
        return self.send({"type": "venueAdmin", **variant})

    def _send(self, kind: str, options: Mapping[str, Any], **fields: Any) -> Reply:
        given = {key: value for key, value in fields.items() if value is not None}
        return self.send({"type": kind, **given}, **options)

    def _send_account(self, kind: str, options: Mapping[str, Any], **fields: Any) -> Reply:
        network = self._network
        action = {
            "type": kind,
            "serviceNetwork": network.service_network,
            "chainId": network.chain_id,
            "apiVersion": network.api_version,
            **fields,
        }
        return self.send(action, **options)


def _operations(entries: Sequence[tuple[int, Amount]]) -> list[dict[str, Any]]:
    return [{"asset": asset, "sz": decimal_text(size)} for asset, size in entries]


def _signer_set(signers: Sequence[str], threshold: int) -> str:
    addresses = [address.lower() for address in signers]
    return json.dumps({"authorizedUsers": addresses, "threshold": threshold}, separators=(",", ":"))


def _reply_of(status: int, answer: Mapping[str, Any], signed: SignedAction) -> Reply:
    sent = {"tx_hash": signed.tx_hash, "nonce": signed.nonce}
    if answer.get("status") == "pending":
        return Reply("pending", trace_id=answer.get("traceId"), **sent)
    if answer.get("status") != "ok":
        raise error_of(status, answer)
    warnings = answer.get("warnings", ())
    trace_id = answer.get("traceId")
    if "data" not in answer:
        return Reply("queued", trace_id=trace_id, warnings=warnings, **sent)
    data = answer["data"]["data"]
    entry = data["statuses"][0]
    failure = None if entry == "success" else entry
    orders = data.get("orders", ())
    if failure is not None and "orders" not in data:
        raise ApiError(
            failure["error"],
            code=failure.get("code", 0),
            name=failure.get("name"),
            details=failure.get("details"),
            http_status=status,
        )
    return Reply(
        "executed" if answer.get("confirm") == "executed" else "accepted",
        height=answer.get("height"),
        orders=orders,
        failure=failure,
        created=data.get("created"),
        trace_id=trace_id,
        warnings=warnings,
        **sent,
    )
