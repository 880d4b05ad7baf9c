import { ADDRESS, choice, HTTP_URL, list, setting, text } from '@oddlot/host/settings';
import { SERVICE_WORD } from '@oddlot/protocol';

const ADMINS_MAX = 20;

export const IDENTITY_SETTINGS = {
  network: setting(choice('testnet', 'mainnet'), {
    default: 'testnet',
    help:
      'Network type: `testnet` or `mainnet`. A mainnet has different signing constants, ' +
      'requires real prices, and does not allow the faucet, simulated traders, demo ' +
      'markets or `fault`. Cannot be changed once a data folder has been used',
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
      'Addresses that may send [operator actions](markets.md). Read only when a data ' +
      'folder is first used; after that, admins can change the list',
    isEveryday: true,
  }),
  deployers: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    unset: 'the admins',
    help: 'Addresses that may deploy outcome markets. Read only when a data folder is first used',
  }),
  relayUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: "URL of the venue's own relay, otherwise none",
    help: 'URL of the relay, shown in `settings`',
  }),
};
