import { readKey } from './keys.ts';
import { remoteValidator } from './remote-validator.ts';
import { type BridgeDomain, keyValidator, type Validator } from './validators.ts';

/** The validators that the configuration names: keys of this process, and other processes. */
export function configuredValidators(
  named: {
    readonly validatorKeys: readonly string[];
    readonly validators: readonly string[];
  },
  env: Readonly<Record<string, string | undefined>>,
): (domain: BridgeDomain) => readonly Validator[] {
  const keys = named.validatorKeys.map((setting) => readKey(setting, 'validatorKeys', env));
  return (domain) => [
    ...keys.map((key) => keyValidator(key, domain)),
    ...named.validators.map((url) => remoteValidator(url, domain)),
  ];
}
