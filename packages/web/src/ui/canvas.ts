export type Palette = {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly raised: string;
  readonly panel: string;
  readonly buy: string;
  readonly sell: string;
  readonly accent: string;
  readonly warning: string;
};

let cached: { readonly looks: string; readonly palette: Palette } | undefined;

/** Returns the current theme's colours. They are cached, because reading styles forces a layout. */
export function palette(): Palette {
  const { sides = '', theme = '' } = document.documentElement.dataset;
  const looks = `${theme} ${sides}`;
  if (cached?.looks === looks) return cached.palette;
  const colours = readPalette();
  // The colours are empty until the style sheet has loaded.
  if (colours.text !== '') cached = { looks, palette: colours };
  return colours;
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('text'),
    muted: of('muted'),
    line: of('line'),
    raised: of('raised'),
    panel: of('panel'),
    buy: of('buy'),
    sell: of('sell'),
    accent: of('accent'),
    warning: of('warning'),
  };
}

export const FONT = "'Inter Variable', system-ui, sans-serif";

export function fitted(
  canvas: HTMLCanvasElement,
):
  | { readonly context: CanvasRenderingContext2D; readonly width: number; readonly height: number }
  | undefined {
  const context = canvas.getContext('2d');
  const { clientHeight: height, clientWidth: width } = canvas;
  if (context === null || width === 0 || height === 0) return undefined;
  const ratio = devicePixelRatio;
  const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
    canvas.width = pixelsWide;
    canvas.height = pixelsHigh;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
