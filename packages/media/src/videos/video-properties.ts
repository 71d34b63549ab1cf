/** What was read of a video whose last picture is there. */
export interface VideoProperties {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
}
