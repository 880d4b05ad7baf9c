import { VenueApi } from '../../../packages/relay/src/venue-api.ts';

/** Returns a venue client that calls a function instead of a network service. */
export function venueBy(
  post: (path: string, body: string) => Promise<object | Response>,
): VenueApi {
  return new VenueApi('http://venue.test', async (url, { body }) => {
    const answer = await post(new URL(url).pathname, String(body));
    return answer instanceof Response ? answer : Response.json(answer);
  });
}
