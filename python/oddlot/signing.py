"""Signatures of actions: MessagePack, EIP-712 and secp256k1."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Mapping, Protocol, Sequence

import msgpack
from Cryptodome.Hash import keccak
from ecdsa import SECP256k1
from ecdsa.rfc6979 import generate_k

Json = Any
TypedData = dict[str, Any]

_ORDER = SECP256k1.order
_GENERATOR = SECP256k1.generator
_ZERO_ADDRESS = "0x" + "0" * 40

_DOMAIN = [
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
]
_HEAD = (("serviceNetwork", "string"), ("chainId", "uint32"), ("apiVersion", "uint32"))
_NONCE = (("nonce", "uint64"),)

#: The fields of each account action, which come between the network's constants and the nonce.
ACCOUNT_ACTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "approveAgent": (("agentAddress", "address"), ("agentName", "string")),
    "approveBuilderFee": (("builder", "address"), ("maxFeeRate", "string")),
    "revokeBuilderFee": (("builder", "address"),),
    "tokenSend": (
        ("destination", "address"),
        ("token", "uint32"),
        ("amount", "string"),
        ("fromAccountType", "string"),
        ("toAccountType", "string"),
    ),
    "withdraw3": (("destination", "address"), ("amount", "string")),
    "convertToMultiSigUser": (("signers", "string"),),
}


@dataclass(frozen=True)
class Network:
    """The constants of the deployment for which a signature is valid."""

    service_network: str
    chain_id: int
    api_version: int = 1

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> Network:
        """Returns the network reported by the query `settings`. Use it only if you trust the server."""
        return Network(settings["service_network"], settings["chain_id"], settings["api_version"])


TESTNET = Network("Oddlot-Testnet", 2511)
MAINNET = Network("Oddlot-Mainnet", 869)


class RawSignature(Protocol):
    """The parts of a signature that a signer returns."""

    r: int
    s: int
    v: int


class Signer(Protocol):
    """A key that signs typed data: a `PrivateKey`, or an account from `eth_account`."""

    @property
    def address(self) -> str: ...

    def sign_typed_data(self, *, full_message: TypedData) -> Any: ...


@dataclass(frozen=True)
class Signature:
    r: int
    s: int
    v: int

    def to_wire(self) -> dict[str, Any]:
        return {"r": f"0x{self.r:064x}", "s": f"0x{self.s:064x}", "v": self.v}

    def to_bytes(self) -> bytes:
        return self.r.to_bytes(32, "big") + self.s.to_bytes(32, "big") + bytes([self.v])


class PrivateKey:
    """A private key in memory. Signatures are deterministic (RFC 6979) with a low `s`."""

    def __init__(self, key: str | bytes) -> None:
        raw = bytes.fromhex(key.removeprefix("0x")) if isinstance(key, str) else key
        secret = int.from_bytes(raw, "big")
        if len(raw) != 32 or not 0 < secret < _ORDER:
            raise ValueError("A private key has 32 bytes and is below the order of secp256k1")
        self._secret = secret
        point = secret * _GENERATOR
        public = point.x().to_bytes(32, "big") + point.y().to_bytes(32, "big")
        self._address = "0x" + keccak256(public)[-20:].hex()

    @staticmethod
    def random() -> PrivateKey:
        return PrivateKey((secrets.randbelow(_ORDER - 1) + 1).to_bytes(32, "big"))

    @property
    def address(self) -> str:
        return self._address

    def to_hex(self) -> str:
        return f"0x{self._secret:064x}"

    def sign_typed_data(self, *, full_message: TypedData) -> Signature:
        return self.sign_digest(typed_data_digest(full_message))

    def sign_digest(self, digest: bytes) -> Signature:
        number = int.from_bytes(digest, "big")
        k = generate_k(_ORDER, self._secret, sha256, digest)
        point = k * _GENERATOR
        r = point.x() % _ORDER
        s = pow(k, -1, _ORDER) * (number + r * self._secret) % _ORDER
        parity = point.y() & 1
        if s > _ORDER // 2:
            s = _ORDER - s
            parity ^= 1
        return Signature(r, s, 27 + parity)

    def __repr__(self) -> str:
        return f"PrivateKey({self._address})"


def keccak256(data: bytes) -> bytes:
    return keccak.new(digest_bits=256, data=data).digest()


def _hash_word(kind: str, value: Any) -> bytes:
    if kind == "string":
        return keccak256(value.encode())
    if kind == "bytes32":
        return bytes.fromhex(value.removeprefix("0x")) if isinstance(value, str) else value
    if kind == "address":
        return bytes(12) + bytes.fromhex(value.removeprefix("0x"))
    return int(value).to_bytes(32, "big")


def _hash_struct(name: str, fields: Sequence[Mapping[str, str]], values: Mapping[str, Any]) -> bytes:
    kind = name + "(" + ",".join(f"{field['type']} {field['name']}" for field in fields) + ")"
    words = [_hash_word(field["type"], values[field["name"]]) for field in fields]
    return keccak256(keccak256(kind.encode()) + b"".join(words))


def _typed_data_prefix(message: TypedData) -> bytes:
    """Returns the bytes whose hash is signed: 0x1901, domain separator and struct hash."""
    types = message["types"]
    primary = message["primaryType"]
    domain = _hash_struct("EIP712Domain", types["EIP712Domain"], message["domain"])
    return b"\x19\x01" + domain + _hash_struct(primary, types[primary], message["message"])


def typed_data_digest(message: TypedData) -> bytes:
    """Returns the EIP-712 digest of a message whose struct has no nested structs."""
    return keccak256(_typed_data_prefix(message))


def action_preimage(
    action: Json, nonce: int, vault: str | None = None, expires_after: int | None = None
) -> bytes:
    """Returns the bytes that identify a trading action: MessagePack, nonce, vault and expiry."""
    data = msgpack.packb(action, use_bin_type=True) + nonce.to_bytes(8, "big")
    data += b"\x00" if vault is None else b"\x01" + bytes.fromhex(vault.removeprefix("0x"))
    if expires_after is not None:
        data += b"\x00" + expires_after.to_bytes(8, "big")
    return data


def _typed_data(
    network: Network,
    name: str,
    fields: Sequence[tuple[str, str]],
    values: Mapping[str, Any],
    signature_chain_id: int | None = None,
) -> TypedData:
    domain = {
        "name": network.service_network,
        "version": "1",
        "chainId": network.chain_id if signature_chain_id is None else signature_chain_id,
        "verifyingContract": _ZERO_ADDRESS,
    }
    head = {
        "serviceNetwork": network.service_network,
        "chainId": network.chain_id,
        "apiVersion": network.api_version,
    }
    struct = [{"name": field, "type": kind} for field, kind in (*_HEAD, *fields)]
    return {
        "types": {"EIP712Domain": _DOMAIN, name: struct},
        "primaryType": name,
        "domain": domain,
        "message": {**head, **values},
    }


def trading_typed_data(network: Network, preimage: bytes) -> TypedData:
    connection_id = keccak256(preimage)
    return _typed_data(
        network, "Agent", [("connectionId", "bytes32")], {"connectionId": connection_id}
    )


def account_typed_data(
    network: Network,
    action: Mapping[str, Any],
    signature_chain_id: int | None = None,
    multi_sig: tuple[str, str] | None = None,
) -> TypedData:
    """Returns the typed data of an account action, for a multi-sig account with its user and sender."""
    kind = action["type"]
    payload: tuple[tuple[str, str], ...] = ()
    values = {field: action.get(field) for field, _ in (*ACCOUNT_ACTIONS[kind], *_NONCE)}
    if kind == "approveAgent" and values["agentName"] is None:
        values["agentName"] = ""
    if multi_sig is not None:
        payload = (("payloadMultiSigUser", "address"), ("outerSigner", "address"))
        values |= {"payloadMultiSigUser": multi_sig[0], "outerSigner": multi_sig[1]}
    fields = (*payload, *ACCOUNT_ACTIONS[kind], *_NONCE)
    return _typed_data(network, kind[0].upper() + kind[1:], fields, values, signature_chain_id)


def multi_sig_typed_data(
    network: Network,
    wrapper: Mapping[str, Any],
    nonce: int,
    vault: str | None = None,
    expires_after: int | None = None,
    signature_chain_id: int | None = None,
) -> TypedData:
    """Returns the typed data signed by the sender of a `multiSig` wrapper."""
    content = {key: value for key, value in wrapper.items() if key != "type"}
    hashed = keccak256(action_preimage(content, nonce, vault, expires_after))
    fields = [("multiSigActionHash", "bytes32"), *_NONCE]
    values = {"multiSigActionHash": hashed, "nonce": nonce}
    return _typed_data(network, "SendMultiSig", fields, values, signature_chain_id)


@dataclass(frozen=True)
class SignedAction:
    """A request to /exchange. The same body executes only once, regardless of how often it is sent."""

    body: dict[str, Any]
    nonce: int
    #: Identifies the request; `action_status(txHash=…)` returns its receipt.
    tx_hash: str


def sign_action(
    signer: Signer,
    action: Mapping[str, Any],
    nonce: int,
    *,
    network: Network = TESTNET,
    vault: str | None = None,
    expires_after: int | None = None,
    signature_chain_id: int | None = None,
) -> SignedAction:
    """Signs an action with the scheme that its type requires."""
    kind = action["type"]
    if kind in ACCOUNT_ACTIONS:
        data = account_typed_data(network, action, signature_chain_id)
        identity = _typed_data_prefix(data)
    elif kind == "multiSig":
        data = multi_sig_typed_data(
            network, action, nonce, vault, expires_after, signature_chain_id
        )
        identity = _typed_data_prefix(data)
    else:
        identity = action_preimage(action, nonce, vault, expires_after)
        data = trading_typed_data(network, identity)
    signature = normalised(signer.sign_typed_data(full_message=data))
    body: dict[str, Any] = {"action": action, "signature": signature.to_wire(), "nonce": nonce}
    if vault is not None:
        body["vaultAddress"] = vault
    if expires_after is not None:
        body["expiresAfter"] = expires_after
    if signature_chain_id is not None:
        body["signatureChainId"] = signature_chain_id
    tx_hash = "0x" + keccak256(identity + signature.to_bytes()).hex()
    return SignedAction(body, nonce, tx_hash)


def sign_inner_action(
    signer: Signer,
    action: Mapping[str, Any],
    nonce: int,
    *,
    multi_sig_user: str,
    outer_signer: str,
    network: Network = TESTNET,
    vault: str | None = None,
    expires_after: int | None = None,
    signature_chain_id: int | None = None,
) -> Signature:
    """Signs the inner action of a `multiSig` wrapper for one of the account's signers."""
    user, sender = multi_sig_user.lower(), outer_signer.lower()
    if action["type"] in ACCOUNT_ACTIONS:
        data = account_typed_data(network, action, signature_chain_id, (user, sender))
    else:
        preimage = action_preimage([user, sender, action], nonce, vault, expires_after)
        data = trading_typed_data(network, preimage)
    return normalised(signer.sign_typed_data(full_message=data))


def normalised(signature: RawSignature) -> Signature:
    """Returns the signature with `v` as 27 or 28."""
    r, s = _number(signature.r), _number(signature.s)
    return Signature(r, s, signature.v + 27 if signature.v < 27 else signature.v)


def _number(value: int | bytes | str) -> int:
    if isinstance(value, bytes):
        return int.from_bytes(value, "big")
    return int(value, 16) if isinstance(value, str) else value
