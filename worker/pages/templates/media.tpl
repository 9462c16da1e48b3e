{{%AUTOESCAPE context="HTML"}}
<!DOCTYPE html>
<html lang="en">
<head>
{{>HEAD}}
<link rel="stylesheet" href="{{EMBED_HOST}}/assets/site.css">
</head>
<body class="wide">
<main>
<h1 class="clamp"><bdi>{{TITLE}}</bdi></h1>
<div class="stage ratio-{{RATIO}}"><iframe src="{{PLAYER}}" title="{{TITLE}}" allow="autoplay; fullscreen" width="{{WIDTH}}" height="{{HEIGHT}}"></iframe></div>
<p class="meta">{{#HAS_DURATION}}<span>{{DURATION}}</span> · {{/HAS_DURATION}}<a href="{{CODES}}">Embed this video</a></p>
</main>
</body>
</html>
