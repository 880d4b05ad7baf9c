/** Whether a client takes an encoding: named, or by the star, and not with a weight of zero. */
export function acceptsEncoding(accepted: string, encoding: string): boolean {
  const offers = accepted.split(',').map((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return { name, isRefused: parameters.some((each) => NOTHING.test(each)) };
  });
  const offer =
    offers.find(({ name }) => name === encoding) ?? offers.find(({ name }) => name === '*');
  return offer !== undefined && !offer.isRefused;
}

const NOTHING = /^q\s*=\s*0(?:\.0*)?$/;
