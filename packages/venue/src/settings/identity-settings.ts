import { ADDRESS, choice, HTTP_URL, list, setting, text } from '@oddlot/host/settings';
import { SERVICE_WORD } from '@oddlot/protocol';

const ADMINS_MAX = 20;

export const IDENTITY_SETTINGS = {
  network: setting(choice('testnet', 'mainnet'), {
    default: 'testnet',
    help:
      '`testnet` or `mainnet`. A mainnet has other signing constants, requires real prices, ' +
      'and rejects `faucet`, `bots`, `exhibition` and `fault`. Fixed at the first start of a ' +
      'folder',
    isEveryday: true,
  }),
  serviceNetwork: setting(
    text({
      pattern: SERVICE_WORD,
      expected: '3 to 55 letters, digits and dots, the first no dot, like example.org',
      placeholder: 'WORD',
    }),
    {
      unset: 'none',
      help:
        "First part of the venue's [network name](#network-name), usually its domain: 3 to " +
        '55 letters, digits and dots. Required on a mainnet and with an external chain',
      isEveryday: true,
    },
  ),
  admins: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    default: [],
    help:
      'Addresses that may send [operator actions](markets.md). Read only at the first start ' +
      'of a folder; later, admins change them with operator actions',
    isEveryday: true,
  }),
  deployers: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    unset: 'the admins',
    help: 'Addresses that may deploy outcome markets. Read only at the first start of a folder',
  }),
  relayUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: "URL of the venue's own relay, otherwise none",
    help: 'URL of the relay, shown in `settings`',
  }),
};
