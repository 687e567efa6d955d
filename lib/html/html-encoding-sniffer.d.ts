declare module 'html-encoding-sniffer' {
  /** The encoding sniffing algorithm of the HTML standard: BOM, transport layer, meta prescan, default. */
  export default function htmlEncodingSniffer<Default>(
    bytes: Uint8Array,
    options: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding: Default },
  ): string | Default;
}
