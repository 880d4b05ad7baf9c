import { readKey } from '@oddlot/custody/read-key';
import {
  type BridgeDomain,
  keyValidator,
  remoteValidator,
  type Validator,
} from '@oddlot/custody/signing';
import { privateKeyToAccount } from 'viem/accounts';

/** The validators that the configuration names: keys of this process, and other processes. */
export function configuredValidators(
  named: {
    readonly validatorKeys: readonly string[];
    readonly validators: readonly string[];
    /** By whose address those know their venue. */
    readonly relayerKey?: string | undefined;
  },
  env: Readonly<Record<string, string | undefined>>,
): (domain: BridgeDomain) => readonly Validator[] {
  const keys = named.validatorKeys.map((setting) => readKey(setting, 'validatorKeys', env));
  const { relayerKey, validators } = named;
  const isAsking = relayerKey !== undefined && validators.length > 0;
  const as = isAsking ? privateKeyToAccount(readKey(relayerKey, 'relayerKey', env)) : undefined;
  return (domain) => [
    ...keys.map((key) => keyValidator(key, domain)),
    ...validators.map((url) => remoteValidator(url, domain, { as })),
  ];
}
