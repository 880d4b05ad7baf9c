import { ADDRESS, choice, HTTP_URL, list, setting, text } from '@oddlot/host/settings';
import { SERVICE_WORD } from '@oddlot/protocol';

const ADMINS_MAX = 20;

export const IDENTITY_SETTINGS = {
  network: setting(choice('testnet', 'mainnet'), {
    default: 'testnet',
    help: '`testnet`, or `mainnet`: other signing constants and real prices only; faucet, simulated traders, exhibition and `fault` are refused. Fixed with the first start of a folder',
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
      help: "the word that the venue's [own name](#network-name) begins with, best its domain: 3 to 55 letters, digits and dots. Needed on a mainnet and with a chain that is not the venue's own",
      isEveryday: true,
    },
  ),
  admins: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    default: [],
    help: "addresses that may send [operator's actions](markets.md); taken with the first start of a folder, changed by them from then on",
    isEveryday: true,
  }),
  deployers: setting(list(ADDRESS, { max: ADMINS_MAX }), {
    unset: 'the admins',
    help: 'addresses that may deploy outcome markets, in the same way',
  }),
  relayUrl: setting(text({ placeholder: HTTP_URL.placeholder }), {
    unset: 'that of the own relay, otherwise none',
    help: 'URL of the relay that `settings` show',
  }),
};
