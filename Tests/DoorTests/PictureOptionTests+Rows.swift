extension PictureOptionTests {
    /// The rows: the options, and the request or the refusal that they become.
    static let table = """
        <none> =
        # Sizes.
        w:300 = resize(width=300)
        width:300 = resize(width=300)
        h:400 = resize(height=400)
        height:400 = resize(height=400)
        w:300/h:400 = resize(width=300,height=400)
        w:300/w:200 = resize(width=200)
        w:0/h:0 =
        w:300/w:0 =
        w: ! wrongArgument width
        w:-1 ! wrongArgument width
        w:1.5 ! wrongArgument width
        w:1e2 ! wrongArgument width
        w:0x10 ! wrongArgument width
        w:abc ! wrongArgument width
        w:1:2 ! tooManyArguments width
        w:99999999999999999999 ! wrongArgument width
        w:16384 = resize(width=16384)
        w:16385 ! notSupported width
        h:16385 ! notSupported height
        w:8193/dpr:2 ! notSupported width
        rs:fit:300:400 = resize(width=300,height=400)
        resize:fit:300:400 = resize(width=300,height=400)
        rs:fill:300:400 = resize(width=300,height=400,fit=cover,gravity=center)
        rs:fill:300:400:1 = resize(width=300,height=400,fit=cover,gravity=center,enlarge=true)
        rs:fill:300:400:0:0 = resize(width=300,height=400,fit=cover,gravity=center)
        rs:force:300:400 = resize(width=300,height=400,density=1,fit=fill)
        rs:force:300:400:t = resize(width=300,height=400,fit=fill,enlarge=true)
        rs:force:300:0 ! notSupported resizing_type
        rs:force =
        rs:auto:300:400 = resize(width=300,height=400,fit=auto,gravity=center)
        rs:auto:300:0 = resize(width=300)
        rs:auto:0:0 =
        rs:fill-down:300:400 = resize(width=300,height=400,fit=coverDown,gravity=center)
        rs:fill-down:300:400:1 = resize(width=300,height=400,fit=coverDown,gravity=center,enlarge=true)
        rs:fill-down:0:400 = resize(height=400)
        rs:fill:300 = resize(width=300)
        rs::300:400 = resize(width=300,height=400)
        rs:fill::400 = resize(height=400)
        rs:other:300 ! wrongArgument resize
        rs:FILL:300 ! wrongArgument resize
        rs:fit:300:400:maybe ! wrongArgument resize
        rs:fit:1:1:1:1:no:0:0:0 ! tooManyArguments resize
        w:10/rs:fill::20 = resize(width=10,height=20,fit=cover,gravity=center)
        s:300:400 = resize(width=300,height=400)
        size:300:400:1 = resize(width=300,height=400,enlarge=true)
        s:300 = resize(width=300)
        s::300 = resize(height=300)
        s:300:400:1:1:nowe = resize(width=300,height=400,enlarge=true) pad(width=300,height=400,gravity=topLeft)
        s:fit:300 ! wrongArgument size
        rt:fill/w:3/h:4 = resize(width=3,height=4,fit=cover,gravity=center)
        resizing_type:force/w:3/h:4 = resize(width=3,height=4,density=1,fit=fill)
        rt: ! wrongArgument resizing_type
        rt:zoom ! wrongArgument resizing_type
        mw:0 =
        mw:10 = resize(minWidth=10,density=1)
        min-width:10/w:5 = resize(width=5,minWidth=10,density=1,gravity=center)
        mw:10/dpr:2 = resize(minWidth=10,density=2)
        mw:10/z:2 = resize(minWidth=10,scale=2,density=1)
        mw:10/w:5/h:5/z:2/dpr:2 = resize(width=5,height=5,minWidth=10,scale=2,density=2,gravity=center)
        mw:9000/dpr:2 ! notSupported min-width
        mh:0/w:2 = resize(width=2)
        mh:10 = resize(minHeight=10,density=1)
        mh:9000/dpr:2 ! notSupported min-height
        min-height:10/mw:20/rs:fill:5:5/g:no = resize(width=5,height=5,minWidth=20,minHeight=10,density=1,fit=cover,gravity=top)
        z:2/w:10 = resize(width=20)
        zoom:0.5/w:10/h:20 = resize(width=5,height=10)
        z:2:2/w:10/h:20 = resize(width=20,height=40)
        z:2:3/rs:force:10:20 = resize(width=10,height=20,scale=width:2;height:3,density=1,fit=fill)
        z:2:3/rs:force:10:20:1 = resize(width=20,height=60,fit=fill,enlarge=true)
        z:2:3/w:10/h:20 = resize(width=10,height=20,scale=width:2;height:3,density=1)
        z:1 =
        z:2 = resize(scale=2)
        z:2/el:1 = resize(scale=2,enlarge=true)
        z:0.5:2/dpr:0.5 = resize(scale=width:0.25;height:1)
        z:2/dpr:0.5 =
        z:200 ! notSupported zoom
        z:0/w:10 ! wrongArgument zoom
        z:-1/w:10 ! wrongArgument zoom
        z:2:0/w:10 ! wrongArgument zoom
        z:nan/w:10 ! wrongArgument zoom
        dpr:2/w:10/h:20 = resize(width=20,height=40)
        dpr:1.5/w:101 = resize(width=152)
        dpr:0.001/w:10 = resize(width=1)
        dpr:1 =
        dpr:2 = resize(scale=2)
        dpr:0.5 = resize(scale=0.5)
        dpr:0 ! wrongArgument dpr
        dpr:0.001/mw:10 ! notSupported dpr
        dpr:0.5/w:20000 ! notSupported width
        dpr:inf/w:1 ! wrongArgument dpr
        dpr:2:2/w:1 ! tooManyArguments dpr
        el:1/w:10 = resize(width=10,enlarge=true)
        enlarge:true/w:10 = resize(width=10,enlarge=true)
        el:True/w:10 = resize(width=10,enlarge=true)
        el:0/w:10 = resize(width=10)
        el:2/w:10 ! wrongArgument enlarge
        el: ! wrongArgument enlarge
        ex:1/w:10/h:20 = resize(width=10,height=20) pad(width=10,height=20,gravity=center)
        extend:1:so/w:10/h:20 = resize(width=10,height=20) pad(width=10,height=20,gravity=bottom)
        ex:1/w:10 = resize(width=10) pad(width=10,gravity=center)
        ex:1 =
        ex:0:no:5:5/w:10/h:20 = resize(width=10,height=20)
        ex:1:no:5:5/w:10/h:20 = resize(width=10,height=20) pad(width=10,height=20,gravity=place:top;offsetX:5;offsetY:5)
        ex:1:no:5:-0.25/w:10/h:20/dpr:2 = resize(width=20,height=40) pad(width=20,height=40,gravity=place:top;offsetX:10;offsetY:-0.25)
        ex:1:fp:0:1/w:10/h:20 = resize(width=10,height=20) pad(width=10,height=20,gravity=bottomLeft)
        ex:1:fp:0.5:0.5/w:10/h:20 = resize(width=10,height=20) pad(width=10,height=20,gravity=center)
        ex:1:fp:0.3:0.5/w:10/h:20 ! notSupported extend
        ex:1:sm/w:10/h:20 ! wrongArgument extend
        ex:1/w:10/h:20/dpr:2 = resize(width=20,height=40) pad(width=20,height=40,gravity=center)
        exar:1/w:10/h:20 = resize(width=10,height=20) pad(aspect=0.5,gravity=center)
        extend_ar:1:no/w:20/h:10 = resize(width=20,height=10) pad(aspect=2,gravity=top)
        extend_aspect_ratio:1/w:20/h:20 = resize(width=20,height=20) pad(aspect=1,gravity=center)
        exar:1/w:20 = resize(width=20)
        exar:1:no:1:1/w:20/h:10 = resize(width=20,height=10) pad(aspect=2,gravity=place:top;offsetX:1;offsetY:1)
        exar:1:fp:0.2:0.2/w:20/h:10 ! notSupported extend_aspect_ratio
        exar:1/w:1000/h:1 ! notSupported extend_aspect_ratio
        # Gravity and crop.
        g:no/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=top)
        g:so/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=bottom)
        g:ea/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=right)
        g:we/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=left)
        g:noea/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=topRight)
        g:nowe/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=topLeft)
        g:soea/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=bottomRight)
        g:sowe/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=bottomLeft)
        gravity:ce/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=center)
        g:sm/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=attention)
        g:fp:0.5:0.25/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=x:0.5;y:0.25)
        g:ce:0:0/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=center)
        g:no:0:5/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=place:top;offsetX:0;offsetY:5)
        g:soea:0.1:5/rs:fill:3:4/dpr:2 = resize(width=3,height=4,density=2,fit=cover,gravity=place:bottomRight;offsetX:0.1;offsetY:10)
        g:ce:0.1:-99999/rs:fill:3:4 = resize(width=3,height=4,fit=cover,gravity=place:center;offsetX:0.1;offsetY:-16384)
        g:no:0:5/rs:fit:3:4 = resize(width=3,height=4)
        g:sm:1:1 ! wrongArgument gravity
        g:fp:0.5 ! wrongArgument gravity
        g:fp:2:0.5 ! wrongArgument gravity
        g:fp:-0.1:0.5 ! wrongArgument gravity
        g:obj:face ! wrongArgument gravity
        g::1:1 ! wrongArgument gravity
        g:north ! wrongArgument gravity
        g: =
        c:100:50 = crop(width=100,height=50,gravity=center)
        crop:100:50:sm = crop(width=100,height=50,gravity=attention)
        c:100:50/g:so = crop(width=100,height=50,gravity=bottom)
        c:100:50:no/g:so = crop(width=100,height=50,gravity=top)
        c:100:50:fp:0.1:0.9 = crop(width=100,height=50,gravity=x:0.1;y:0.9)
        c:100:50:nowe:10:20 = crop(width=100,height=50,gravity=place:topLeft;offsetX:10;offsetY:20)
        c:100:50:nowe:10:20/dpr:2/w:5 = crop(width=100,height=50,gravity=place:topLeft;offsetX:10;offsetY:20) resize(width=10)
        c:100:50:nowe:0.1:0.2 = crop(width=100,height=50,gravity=place:topLeft;offsetX:0.1;offsetY:0.2)
        c:100:50:ce:10:20 = crop(width=100,height=50,gravity=place:center;offsetX:10;offsetY:20)
        c:100:50:nowe:-10:20 = crop(width=100,height=50,gravity=place:topLeft;offsetX:-10;offsetY:20)
        c:0.5:0.25 = crop(width=0.5,height=0.25,unit=fraction,gravity=center)
        c:0:0.25:no = crop(width=1,height=0.25,unit=fraction,gravity=top)
        c:0.5:0.5:nowe:10:10 = crop(width=0.5,height=0.5,unit=fraction,gravity=place:topLeft;offsetX:10;offsetY:10)
        c:0:0 =
        c: =
        c:100:0 = crop(width=100,gravity=center)
        c:0:100:no = crop(height=100,gravity=top)
        c:100:0.5 ! notSupported crop
        c:100.5:50 ! notSupported crop
        c:20000:50 ! notSupported crop
        c:-1:5 ! wrongArgument crop
        c:100:50/rs:fill:3:4/g:ea = crop(width=100,height=50,gravity=right) resize(width=3,height=4,fit=cover,gravity=right)
        t:10 = trim(threshold=10)
        trim:10.5:ffffff = trim(threshold=10.5,color=#ffffff)
        t:10:FF00FF = trim(threshold=10,color=transparent)
        t:10::0:0 = trim(threshold=10)
        t:10::1 = trim(threshold=10,symmetric=horizontal)
        t:10::1:1 = trim(threshold=10,symmetric=both)
        t:10::0:1 = trim(threshold=10,symmetric=vertical)
        t: ! wrongArgument trim
        t:300 ! wrongArgument trim
        t:10:red ! wrongArgument trim
        t:10:ffff ! wrongArgument trim
        pd:10 = extend(top=10,right=10,bottom=10,left=10)
        padding:1:2 = extend(top=1,right=2,bottom=1,left=2)
        pd:1:2:3 = extend(top=1,right=2,bottom=3,left=2)
        pd:1:2:3:4 = extend(top=1,right=2,bottom=3,left=4)
        pd:1:::4 = extend(top=1,right=1,bottom=1,left=4)
        pd::2 = extend(right=2,left=2)
        pd:0 =
        pd: ! wrongArgument padding
        pd:-1 ! wrongArgument padding
        pd:10/w:5/dpr:2 = resize(width=10) extend(top=20,right=20,bottom=20,left=20)
        pd:10/bg:f00 = background(color=#ff0000ff) extend(top=10,right=10,bottom=10,left=10,color=#ff0000ff)
        pd:20000 ! notSupported padding
        # Turns, colors and filters.
        ar:0 = autorotate(enabled=false)
        auto_rotate:f = autorotate(enabled=false)
        ar:1 =
        ar:no ! wrongArgument auto_rotate
        rot:90 = rotate(angle=90)
        rotate:270/w:5 = rotate(angle=270) resize(width=5)
        rot:360 =
        rot:-90 = rotate(angle=-90)
        rot:45 ! wrongArgument rotate
        rot:99999999990 ! wrongArgument rotate
        fl:1 = flip(horizontal=true,vertical=false)
        flip:0:1 = flip(horizontal=false,vertical=true)
        fl:0:0 =
        fl:1:1/rot:90/c:4:4 = rotate(angle=90) flip(horizontal=true,vertical=true) crop(width=4,height=4,gravity=center)
        bg:255:128:0 = background(color=#ff8000ff)
        background:ff8000 = background(color=#ff8000ff)
        bg:f80 = background(color=#ff8800ff)
        bg: =
        bg:f80/bg: =
        bg:255:128 ! wrongArgument background
        bg:256:0:0 ! wrongArgument background
        bg::1:1 ! wrongArgument background
        bg:red ! wrongArgument background
        bg:f80/bga:0.5 = background(color=#ff880080)
        background_alpha:0.5 =
        bga:2 ! wrongArgument background_alpha
        bl:2 = blur(sigma=2)
        blur:0.5 = blur(sigma=0.5)
        bl:0 =
        bl:0.1 ! notSupported blur
        bl:300 ! notSupported blur
        bl:-1 ! wrongArgument blur
        sh:0.7 = sharpen(sigma=0.7)
        sharpen:0 =
        sh:11 ! notSupported sharpen
        pix:10 = pixelate(size=10)
        pixelate:1 =
        pix:1.5 ! wrongArgument pixelate
        pix:4/sh:1/bl:2 = blur(sigma=2) sharpen(sigma=1) pixelate(size=4)
        wm:0.5 = composite(url=http://w/w.png,opacity=0.5,gravity=center)
        watermark:1:soea = composite(url=http://w/w.png,opacity=1,gravity=bottomRight)
        wm:1:re = composite(url=http://w/w.png,opacity=1,tile=true)
        wm:1:ce:0:0:0.25 = composite(url=http://w/w.png,opacity=1,gravity=center,scale=0.25)
        wm:1:nowe:10:20 = composite(url=http://w/w.png,opacity=1,gravity=place:topLeft;offsetX:10;offsetY:20)
        wm:1:nowe:10:20/w:3/dpr:2 = resize(width=6) composite(url=http://w/w.png,opacity=1,gravity=place:topLeft;offsetX:20;offsetY:40)
        wm:0:soea:5:5 =
        wm:1:soea:5:5 = composite(url=http://w/w.png,opacity=1,gravity=place:bottomRight;offsetX:5;offsetY:5)
        wm:1:nowe:0.1:0.1 = composite(url=http://w/w.png,opacity=1,gravity=place:topLeft;offsetX:0.1;offsetY:0.1)
        wm:1:re:5:6 = composite(url=http://w/w.png,opacity=1,tile=gapX:5;gapY:6)
        wm:1:re:0:6:0.5 = composite(url=http://w/w.png,opacity=1,tile=gapY:6,scale=0.5)
        wm:1:re:0.25:5/dpr:2/w:3 = resize(width=6) composite(url=http://w/w.png,opacity=1,tile=gapX:0.25;gapY:10)
        wm:1:re:1000000:0 = composite(url=http://w/w.png,opacity=1,tile=gapX:16384)
        wm:1:re:3:4/wmt:SGk = text(text=Hi,size=16,opacity=1,tile=gapX:3;gapY:4)
        wm:1:re:-5:5 ! notSupported watermark
        wm:1:re:5:-0.1 ! notSupported watermark
        wm:0:re:-5:5 =
        wm:1:ch ! notSupported watermark
        wm:0:ch =
        wm:1:ce:0:0:2 ! notSupported watermark
        wm:2 ! wrongArgument watermark
        wm: ! wrongArgument watermark
        wm:1/w:9/pd:3/bl:2/mrd:50 = resize(width=9) blur(sigma=2) extend(top=3,right=3,bottom=3,left=3) composite(url=http://w/w.png,opacity=1,gravity=center) resize(width=50,height=50)
        # The file.
        sm:1 =
        strip_metadata:0 = output(metadata=all)
        sm:0/kcr:0 = output(metadata=all)
        kcr:0 =
        keep_copyright:1 =
        scp:0 = output(icc=keep)
        strip_color_profile:1 =
        ph:1/f:png = output(format=png)
        preserve_hdr:1/f:jpg = output(format=jpeg)
        ph:1 ! notSupported preserve_hdr
        ph:1/f:avif ! notSupported preserve_hdr
        ph:0/f:avif = output(format=avif)
        ph:0/f:png ! notSupported preserve_hdr
        eth:0 =
        enforce_thumbnail:1 = decode(thumbnail=true)
        eth:1/pg:2/w:3 = resize(width=3) decode(page=2,thumbnail=true)
        q:70 = output(quality=70)
        quality:0 =
        q:101 ! wrongArgument quality
        fq:webp:70:avif:50/f:avif = output(format=avif,quality=50)
        format_quality:jpeg:70/f:jpg = output(format=jpeg,quality=70)
        fq:webp:70/f:jpg = output(format=jpeg)
        fq:webp:70/f:webp/q:60 = output(format=webp,quality=60)
        fq:webp:70/q:60 = output(quality=60)
        fq:webp:70 = output(qualities=webp:70)
        fq:webp:70:avif:50:png:3 = output(qualities=avif:50;webp:70)
        fq:webp ! wrongArgument format_quality
        fq:webp:70:avif ! wrongArgument format_quality
        fq:webp:70:avif:/f:avif ! wrongArgument format_quality
        fq:bmp:70 ! wrongArgument format_quality
        mb:10000 = output(maxBytes=10000)
        max_bytes:10000/f:webp = output(format=webp,maxBytes=10000)
        mb:10000/f:png = output(format=png)
        mb:10000/f:tiff ! notSupported max_bytes
        mb:0 =
        f:webp = output(format=webp)
        format:jpg = output(format=jpeg)
        ext:heic = output(format=heif)
        f:jxl = output(format=jxl)
        f:png/f:gif = output(format=gif)
        f:bmp ! notSupported format
        f:best ! notSupported format
        f:best/f:png = output(format=png)
        f:png/f:svg ! notSupported format
        raw:1/f:svg = as=bytes
        f:exe ! wrongArgument format
        f: ! wrongArgument format
        f:png @webp = output(format=webp)
        w:3 @avif = resize(width=3) output(format=avif)
        <none> @best ! notSupported format
        <none> @exe ! wrongArgument format
        # The answer, limits and presets.
        skp: =
        skp:gif:svg ! notSupported skip_processing
        skp:exe ! notSupported skip_processing
        skip_processing:gif:jpg/w:3 = resize(width=3) output(keep=gif+jpeg)
        raw:1 = as=bytes
        raw:1/w:3/mw:5/rs:auto:3:3 = as=bytes
        raw:0/w:3 = resize(width=3)
        raw:x ! wrongArgument raw
        cb:abc =
        cachebuster:abc/w:3 = resize(width=3)
        cb:a:b ! tooManyArguments cachebuster
        exp:1001 =
        expires:1000 ! expired expires
        exp:1 ! expired expires
        exp:0 =
        exp:1/exp:0 =
        exp: =
        exp:soon ! wrongArgument expires
        fn:a.jpg =
        filename:%2e%2e ! wrongArgument filename
        fn:a%2Fb ! wrongArgument filename
        fn:a%00b ! wrongArgument filename
        fn:%ff ! wrongArgument filename
        fn:%C2%85 ! wrongArgument filename
        fn:%zz ! wrongArgument filename
        fn:*:1 ! wrongArgument filename
        att:1 =
        return_attachment:maybe ! wrongArgument return_attachment
        pr:sharp = sharpen(sigma=0.7)
        preset:big = resize(width=2000) sharpen(sigma=0.7)
        pr:big/w:5 = resize(width=5) sharpen(sigma=0.7)
        w:5/pr:big = resize(width=2000) sharpen(sigma=0.7)
        pr:sharp:big = resize(width=2000) sharpen(sigma=0.7)
        pr: =
        pr:bare =
        pr:other ! unknownPreset preset
        pr:SHARP ! unknownPreset preset
        msr:0 =
        max_src_resolution:5 = decode(maxPixels=5000000)
        msr:0.0000001 = decode(maxPixels=1)
        msfs:1000 = fetch(maxBytes=1000)
        max_src_file_size:0 =
        maf:1 = decode(frames=first)
        max_animation_frames:10/w:3 = frames(first=10) resize(width=3)
        maf:0 =
        mafr:0 =
        max_animation_frame_resolution:5/msr:1.5 = decode(maxPixels=1500000,maxFramePixels=5000000)
        mrd:500 = resize(width=500,height=500)
        max_result_dimension:0 =
        mrd:20000 ! wrongArgument max_result_dimension
        # Options of imgproxy Pro.
        ra:cubic/w:3 = resize(width=3,kernel=cubic)
        resizing_algorithm:nearest/w:3 = resize(width=3,kernel=nearest)
        ra:mitchell ! wrongArgument resizing_algorithm
        a:0:1.5:0.5 = modulate(contrast=1.5,saturation=0.5)
        adjust::2 = modulate(contrast=2,saturation=1)
        a:10 = tint(color=#0a0a0aff,blend=plusLighter)
        a:-10:2 = tint(color=#f5f5f5ff,blend=plusDarker) modulate(contrast=2,saturation=1)
        br:0 =
        brightness:255 = tint(color=#ffffffff,blend=plusLighter)
        br:-255 = tint(color=#000000ff,blend=plusDarker)
        br:256 ! wrongArgument brightness
        co:2 = modulate(contrast=2,saturation=1)
        contrast:1 =
        sa:0 = modulate(contrast=1,saturation=0)
        saturation:-1 ! wrongArgument saturation
        dt:1 = duotone()
        duotone:1:000080:ffffff = duotone(shadow=#000080,highlight=#ffffff)
        dt:0 =
        dt:0.5 = duotone(amount=0.5)
        dt:0.25:000080 = duotone(amount=0.25,shadow=#000080)
        mc:0 =
        mc:1 = tint(color=#b3b3b3ff,blend=color)
        monochrome:0.5:ff8000 = tint(color=#ff800080,blend=color)
        mc:1/dt:1/sa:0.5 = modulate(contrast=1,saturation=0.5) tint(color=#b3b3b3ff,blend=color) duotone()
        mc:2 ! wrongArgument monochrome
        col:0 =
        col:0.5 = composite(url=color:000000ff,64x64,opacity=0.5,tile=true)
        colorize:1:f80:f = composite(url=color:ff8800ff,64x64,opacity=1,tile=true)
        col:0.5:f80:1 = tint(color=#ff880080,blend=normal)
        col:1/pd:3/bl:2 = blur(sigma=2) composite(url=color:000000ff,64x64,opacity=1,tile=true) extend(top=3,right=3,bottom=3,left=3)
        col:2 ! wrongArgument colorize
        c:300:200/car:0 = crop(width=300,height=200,gravity=center)
        c:300:200:nowe:10:20/car:1 = crop(width=200,height=200,gravity=place:topLeft;offsetX:10;offsetY:20) resize(width=16384,height=16384,fit=coverDown,gravity=topLeft)
        c:300:200/crop_ar:2:1/w:5 = crop(width=400,height=200,gravity=center) resize(width=16384,height=8192,fit=coverDown,gravity=center) resize(width=5)
        c:300:200/crop_aspect_ratio:0.5 = crop(width=100,height=200,gravity=center) resize(width=8192,height=16384,fit=coverDown,gravity=center)
        c:300:200/car:1:1 = crop(width=300,height=300,gravity=center) resize(width=16384,height=16384,fit=coverDown,gravity=center)
        c:300:200:fp:0.2:0.3/car:1 = crop(width=200,height=200,gravity=x:0.2;y:0.3) resize(width=16384,height=16384,fit=coverDown,gravity=center)
        c:0.5:0.5:so/car:1 = crop(width=0.5,height=0.5,unit=fraction,gravity=bottom) resize(width=16384,height=16384,fit=coverDown,gravity=bottom)
        c:300:0/car:1 = crop(width=300,gravity=center) resize(width=16384,height=16384,fit=coverDown,gravity=center)
        car:1 ! notSupported crop_aspect_ratio
        c:300:200:sm/car:1 ! notSupported crop_aspect_ratio
        c:300:200/car:200 ! notSupported crop_aspect_ratio
        c:0.5:0.5/car:1:1 ! notSupported crop_aspect_ratio
        c:0.5:0.5:fp:0.1:0.1/car:1 ! notSupported crop_aspect_ratio
        c:300:16000/car:2:1 ! notSupported crop_aspect_ratio
        wm:1/wmu:aHR0cDovL3gveQ = composite(url=http://x/y,opacity=1,gravity=center)
        watermark_url:aHR0cDovL3gveQ =
        wmu:!! ! wrongArgument watermark_url
        wm:0.5:so/wmt:SGk = text(text=Hi,size=16,opacity=0.5,gravity=bottom)
        watermark_text:SGk =
        wm:1/wmt:PGI- ! notSupported watermark_text
        wm:1:ce:0:0:0.5/wmt:SGk ! notSupported watermark_text
        wm:1/wmt:SGk/wmr:45 = text(text=Hi,size=16,angle=45,opacity=1,gravity=center)
        wm:1/wmt:SGk/watermark_rotate:360 = text(text=Hi,size=16,opacity=1,gravity=center)
        wm:1/wm_rot:45 ! notSupported watermark_rotate
        wm:0/wmr:45 =
        wm:1/wmt:SGk/wmu:aHR0cDovL3gveQ ! notSupported watermark_text
        jpgo:1/f:jpg = output(format=jpeg,progressive=true)
        jpeg_options:0:1/f:jpg = output(format=jpeg,subsampling=4:4:4)
        jpgo:1/f:png = output(format=png)
        jpgo:1 ! notSupported jpeg_options
        jpgo:0:0:1 ! wrongArgument jpeg_options
        pngo:0:1 = output(palette=true)
        png_options:1 ! notSupported png_options
        pngo:1/f:png = output(format=png,progressive=true)
        pngo:1:1/f:png = output(format=png,progressive=true,palette=true)
        pngo:1/f:jpg = output(format=jpeg)
        pngo:0:1:16 ! wrongArgument png_options
        pg:2 = decode(page=2)
        page:0 =
        da:1 = decode(frames=first)
        disable_animation:0 =
        fiu:aHR0cDovL3gveQ = fallback(url=http://x/y)
        fallback_image_url: =
        bc:1 = cache(policy=reload)
        bypass_cache:0 =
        webpo:lossless/f:webp = output(format=webp,lossless=true)
        webp_options:lossy =
        webpo:lossless/f:jpg = output(format=jpeg)
        webpo:lossless ! notSupported webp_options
        webpo:near_lossless/f:webp ! notSupported webp_options
        webpo::1 ! wrongArgument webp_options
        webpo::0:default =
        webpo:::photo ! wrongArgument webp_options
        avifo:off/f:avif = output(format=avif,subsampling=4:4:4)
        avif_options:on/f:avif/q:95 = output(format=avif,quality=95)
        avifo:auto/f:avif/q:90 = output(format=avif,quality=90,subsampling=4:4:4)
        avifo:auto/f:avif/q:89 = output(format=avif,quality=89)
        avifo:auto/f:avif = output(format=avif)
        avifo:auto/q:80 = output(quality=80)
        avifo:off/f:webp = output(format=webp)
        avifo:off ! notSupported avif_options
        avifo:auto/q:90 ! notSupported avif_options
        avifo:auto/aq:dssim/f:avif ! notSupported avif_options
        aq:none:0.02:70:80 =
        aq:dssim:0.02 = output(quality=auto,likeness=0.96)
        autoquality:ml/f:webp/q:70 = output(format=webp,quality=auto,likeness=0.96)
        aq:dssim:0.0005/fq:webp:70 = output(quality=auto,likeness=0.999)
        aq:size:10240/f:jpg = output(format=jpeg,maxBytes=10240)
        aq:size:10240::80/f:avif = output(format=avif,quality=80,maxBytes=10240)
        aq:size:10240/mb:500 = output(maxBytes=500)
        aq:size ! wrongArgument autoquality
        aq:size:10240:10 ! notSupported autoquality
        aq:size:10240/f:png ! notSupported autoquality
        aq:dssim:0.02:70:80 ! notSupported autoquality
        aq:dssim::::0.001 ! notSupported autoquality
        aq:dssim:0.2 ! notSupported autoquality
        aq:butteraugli ! wrongArgument autoquality
        ct:a ! notAllowed cache_tags
        cache_tags:a:b ! notAllowed cache_tags
        ba:5:0:0:1:1 ! notSupported blur_areas
        icc:srgb ! notSupported color_profile
        vts:5 ! notSupported video_thumbnail_second
        hs:md5:abc ! notSupported hashsum
        # Others.
        nothing:1 ! unknownOption nothing
        W:300 ! unknownOption W
        :1 ! unknownOption
        w:300/h:abc ! wrongArgument height
        w:%33 ! wrongArgument width
        """
}
