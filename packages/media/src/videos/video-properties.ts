/** The properties of a video whose last frame is present. */
export interface VideoProperties {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
}
