<?php
// oembed.php: the same responses from an ordinary application: it reads the request, names the stored
// rendering, gets it from Redis by one GET over a persistent connection, and sends it.

const DOMAIN = 'svc.localhost';

function refuse(int $status, string $why): never
{
    http_response_code($status);
    header('Content-Type: application/json; charset=utf-8');
    echo json_encode(['error' => $why]);
    exit;
}

// The id that a media URL names, and the options in its own query.
function media_of(string $url): ?array
{
    $parts = parse_url($url);
    if ($parts === false || !in_array($parts['scheme'] ?? '', ['http', 'https'], true)) return null;
    $host = strtolower($parts['host'] ?? '');
    if ($host !== DOMAIN && !str_ends_with($host, '.' . DOMAIN)) return null;
    if (!preg_match('#^/medias/([A-Za-z0-9]{1,64})$#D', $parts['path'] ?? '', $found)) return null;
    parse_str($parts['query'] ?? '', $options);
    return [$found[1], $options];
}

$format = $_GET['format'] ?? 'json';
if ($format !== 'json') refuse(501, 'only json');
$media = media_of($_GET['url'] ?? '');
if ($media === null) refuse(404, 'no such media');
[$id, $options] = $media;

// Known options only, those of the request itself before those of the URL, sorted: one name for one answer.
$known = ['embedType', 'width', 'height', 'maxwidth', 'maxheight', 'videoFoam', 'handle', 'playerColor', 'autoPlay'];
$options = array_intersect_key($_GET + $options, array_flip($known));
ksort($options);
$key = "bench:rendering:$id" . ($options ? ':' . http_build_query($options) : '');

$redis = new Redis();
$redis->pconnect($_SERVER['REDIS_SOCKET']);
$rendering = $redis->get($key);
if ($rendering === false) refuse(404, 'no such media');

header('Content-Type: application/json; charset=utf-8');
header('Content-Length: ' . strlen($rendering));
header('Access-Control-Allow-Origin: *');
header('Cache-Control: public, max-age=3600');
echo $rendering;
