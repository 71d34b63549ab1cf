import type { Pin } from './pin-store.js';

/** A pin as the API returns it. Its time is UTC without an offset (pinterest/api-quickstart#78). */
export const presentPin = (pin: Pin, withMetrics: boolean) => ({
  id: pin.id,
  created_at: pin.createdAt.toISOString().slice(0, 19),
  title: pin.title,
  description: pin.description,
  link: pin.link,
  alt_text: pin.altText,
  board_id: pin.boardId,
  board_section_id: pin.sectionId,
  media: mediaOf(pin),
  pin_metrics: withMetrics ? metrics : null,
});

const isVideo = ({ files }: Pin): boolean => files[0]?.type.startsWith('video/') ?? false;

function mediaOf(pin: Pin) {
  const [first] = pin.files;
  const images = imagesOf(first?.sha256 ?? '');
  if (isVideo(pin)) {
    const nothingYet = { duration: null, height: null, width: null, video_url: null };
    return { media_type: 'video', images, cover_image_url: images['1200x'].url, ...nothingYet };
  }
  if (pin.files.length === 1) return { media_type: 'image', images };
  const items = pin.files.map(({ sha256 }) => ({
    title: null,
    description: null,
    link: null,
    images: imagesOf(sha256),
  }));
  return { media_type: 'multiple_images', items };
}

const imagesOf = (sha256: string) => {
  const at = (size: string, width: number) => ({
    width,
    height: width,
    url: `https://i.pinimg.com/${size}/${sha256.slice(0, 12)}.jpg`,
  });
  return {
    '150x150': at('150x150', 150),
    '400x300': at('400x300', 400),
    '600x': at('600x', 600),
    '1200x': at('1200x', 1_200),
  };
};

const metrics = {
  '90d': { pin_click: 30, impression: 200, clickthrough: 15, save: 4 },
  lifetime_metrics: { pin_click: 37, impression: 240, clickthrough: 20, save: 5, reaction: 10, comment: 2 },
};
