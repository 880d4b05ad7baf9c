import { HOST, list, NETWORK, text } from './setting-kinds.ts';
import { setting } from './setting.ts';

/** What a venue and a relay are told alike. */

export const TRUSTED_PROXIES = setting(list(NETWORK), {
  default: [],
  help: 'addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-For` is believed',
  isEveryday: true,
});

/** Who can reach a local chain: by network, and from which web pages. */
export const CHAIN_DOOR = {
  chainHost: setting(HOST, {
    default: '127.0.0.1',
    help: 'interface of the local chain, and of the second one that a relay of play money has, whatever `host` is: what opens the program to the world does not open its chain',
  }),
  pageOrigins: setting(
    list(
      text({
        pattern: /^https?:\/\/[^/\s]+$/,
        expected: 'an origin like https://venue.example',
        placeholder: 'ORIGIN',
      }),
    ),
    {
      default: [],
      help: "where a proxy shows the page, like `https://venue.example`: wallets there may ask the [local chains](local-chain.md#who-may-ask); pages of the venue's own port may in any case",
    },
  ),
};
