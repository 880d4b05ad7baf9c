"""Tests signing against vectors computed by independent libraries."""

import json
import unittest
from pathlib import Path

from oddlot.signing import (
    ACCOUNT_ACTIONS,
    Network,
    PrivateKey,
    account_typed_data,
    action_preimage,
    keccak256,
    multi_sig_typed_data,
    sign_action,
    sign_inner_action,
    trading_typed_data,
    typed_data_digest,
)

VECTORS = json.loads(
    (Path(__file__).parents[2] / "tests/vectors/signing.json").read_text(encoding="utf-8")
)


def network_of(case):
    return Network(case["serviceNetwork"], case["chainId"], case["apiVersion"])


def options_of(case):
    return {
        "network": network_of(case),
        "vault": case["vaultAddress"],
        "expires_after": case["expiresAfter"],
        "signature_chain_id": case["signatureChainId"],
    }


class Vectors(unittest.TestCase):
    def test_the_file_has_all_cases(self):
        self.assertEqual(len(VECTORS["cases"]), 66)

    def test_keys_have_their_addresses(self):
        for key, held in VECTORS["keys"].items():
            self.assertEqual(PrivateKey(key).address, held["address"])

    def test_every_case_has_the_expected_signature_and_hash(self):
        for case in VECTORS["cases"]:
            with self.subTest(case["name"]):
                action = json.loads(case["action"])
                signed = sign_action(
                    PrivateKey(case["privateKey"]), action, case["nonce"], **options_of(case)
                )
                self.assertEqual(signed.body["signature"], case["signature"])
                self.assertEqual(signed.tx_hash, case["txHash"])

    def test_inner_signatures_of_multi_sig_cases(self):
        cases = [case for case in VECTORS["cases"] if case["scheme"] == "multiSig"]
        self.assertGreater(len(cases), 3)
        for case in cases:
            with self.subTest(case["name"]):
                action = json.loads(case["action"])
                payload = action["payload"]
                for held in case["inner"]["signers"]:
                    signature = sign_inner_action(
                        PrivateKey(held["privateKey"]),
                        payload["action"],
                        case["nonce"],
                        multi_sig_user=payload["multiSigUser"],
                        outer_signer=payload["outerSigner"],
                        **options_of(case),
                    )
                    self.assertIn(signature.to_wire(), action["signatures"])

    def test_the_digest_is_that_of_the_venue_where_a_client_made_a_mistake(self):
        for case in VECTORS["negative"]:
            with self.subTest(case["mistake"]):
                action = json.loads(case["action"])
                network = network_of(case)
                vault, expiry = case["vaultAddress"], case["expiresAfter"]
                if action["type"] in ACCOUNT_ACTIONS:
                    data = account_typed_data(network, action, case["signatureChainId"])
                elif action["type"] == "multiSig":
                    data = multi_sig_typed_data(network, action, case["nonce"], vault, expiry)
                else:
                    preimage = action_preimage(action, case["nonce"], vault, expiry)
                    data = trading_typed_data(network, preimage)
                self.assertEqual("0x" + typed_data_digest(data).hex(), case["serverDigest"])
                signed = sign_action(
                    PrivateKey(case["privateKey"]), action, case["nonce"], **options_of(case)
                )
                self.assertNotEqual(signed.body["signature"], case["signature"])


class Keys(unittest.TestCase):
    def test_keccak_is_not_sha3(self):
        empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        self.assertEqual(keccak256(b"").hex(), empty)

    def test_invalid_keys_are_rejected(self):
        for key in ("0x00", "0x" + "0" * 64, "0x" + "f" * 64):
            with self.assertRaises(ValueError):
                PrivateKey(key)

    def test_a_key_does_not_show_its_secret(self):
        key = PrivateKey.random()
        self.assertNotIn(key.to_hex()[2:], repr(key))


if __name__ == "__main__":
    unittest.main()
