import { ADDRESS, choice, HTTP_URL, list, setting, text } from '@oddlot/host/settings';
import { SERVICE_WORD } from '@oddlot/protocol';

const ADMINS_MAX = 20;

export const IDENTITY_SETTINGS = {
  network: setting(choice('testnet', 'mainnet'), {
    default: 'testnet',
    help:
      'Network type: `testnet` or `mainnet`. A mainnet has different signing constants, ' +
      'requires real prices, and does not allow the faucet, simulated traders, demo ' +
      'markets or `fault`. Fixed at the first start of a data folder',
    isEveryday: true,
  }),
  serviceNetwork: setting(
    text({
      pattern: SERVICE_WORD,
      expected: '3 to 55 letters, digits and dots, not beginning with a dot, like example.org',
      placeholder: 'WORD',
    }),
    {
      unset: 'none',
      help:
        "First part of the venue's [network name](#network-name), preferably its domain: 3 " +
        'to 55 letters, digits and dots. Required on a mainnet and with an external chain',
      isEveryday: true,
    },
  ),
  admins: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    default: [],
    help:
      'Addresses that may send [operator actions](markets.md). Read at the first start of ' +
      'a data folder; admins can change them later',
    isEveryday: true,
  }),
  deployers: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    unset: 'the admins',
    help: 'Addresses that may deploy outcome markets. Read at the first start of a data folder',
  }),
  relayUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: "URL of the venue's own relay, otherwise none",
    help: 'URL of the relay, shown in `settings`',
  }),
};
