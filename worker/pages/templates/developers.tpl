<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{{TITLE}} · {{PRODUCT}}</title>
<meta name="description" content="{{DESCRIPTION}}">
<link rel="canonical" href="{{CANONICAL}}">
<link rel="stylesheet" href="/assets/site.css">
<script src="/assets/copy.js" defer></script>
</head>
<body class="wide settings manual">
<header><p class="product"><a href="/"><bdi>{{PRODUCT}}</bdi></a></p></header>
<main>
<div class="guide">
<nav class="guides" aria-label="For developers">
{{#GROUP}}{{#NAMED}}<p>{{GROUP_NAME}}</p>
{{/NAMED}}<ul>
{{#GUIDE}}<li><a href="{{PATH}}"{{#CURRENT}} aria-current="page"{{/CURRENT}}>{{TITLE}}</a></li>
{{/GUIDE}}</ul>
{{/GROUP}}</nav>
<details class="guides-menu"><summary>For developers: {{CURRENT_TITLE}}</summary>
<nav aria-label="For developers, menu">
{{#GROUP}}{{#NAMED}}<p>{{GROUP_NAME}}</p>
{{/NAMED}}<ul>
{{#GUIDE}}<li><a href="{{PATH}}"{{#CURRENT}} aria-current="page"{{/CURRENT}}>{{TITLE}}</a></li>
{{/GUIDE}}</ul>
{{/GROUP}}</nav></details>
<article>
{{ARTICLE}}
<nav class="next-guides" aria-label="Previous and next">
{{#BEFORE}}<a rel="prev" href="{{PATH}}"><span class="meta">Previous</span> {{TITLE}}</a>
{{/BEFORE}}{{#AFTER}}<a rel="next" href="{{PATH}}"><span class="meta">Next</span> {{TITLE}}</a>
{{/AFTER}}</nav>
</article>
{{#CONTENTS}}<nav class="contents" aria-labelledby="contents"><p id="contents">On this page</p>
<ul>
{{#HEADING}}<li><a href="#{{PLACE}}">{{TITLE}}</a></li>
{{/HEADING}}</ul></nav>
{{/CONTENTS}}</div>
</main>
</body>
</html>
