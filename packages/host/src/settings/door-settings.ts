import { HOST, list, NETWORK, text } from './setting-kinds.ts';
import { setting } from './setting.ts';

/** What a venue and a relay are told alike. */

export const TRUSTED_PROXIES = setting(list(NETWORK), {
  default: [],
  help: 'addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-For` is believed',
  isEveryday: true,
});

/** Names of ports that no page of another site may read. */
export const HOST_NAMES = setting(
  list(
    text({
      pattern: /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/,
      expected: 'a host name in lower case, like venue.internal',
      placeholder: 'NAME',
    }),
  ),
  {
    default: [],
    help: 'host names with a dot in URLs of ports that are not public (`monitor.example.internal`). Addresses, `localhost` and names without a dot need no entry; requests with another name are answered with 403',
  },
);

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
      help: "where a proxy shows the page, like `https://venue.example`: wallets there may ask the [local chains](../build/local-chain.md#who-may-ask); pages of the venue's own port may in any case",
    },
  ),
};
